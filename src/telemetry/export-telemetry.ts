import type { Halyard } from "../contracts/halyard.ts";
import { HalyardError, reasonOf } from "../errors/error.ts";
import { sentence } from "../errors/sentence.ts";
import type { Environment } from "../programs/environment.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { TelemetrySettings } from "../schema/telemetry.ts";
import type { Span } from "./span.ts";
import { SpanMapper } from "./span-mapper.ts";
import { type TelemetryTarget, telemetryTarget } from "./target.ts";

/** Selects the spans of a log. */
export interface SpanFilter {
  /** Includes only spans that end at this time or later, in ISO format. Defaults to all spans. */
  readonly since?: string | undefined;
  /** Includes only the sessions with these ids. Defaults to all sessions. */
  readonly sessions?: readonly string[] | undefined;
  /** True to include the texts of users, agents and tools. Defaults to false. */
  readonly content?: boolean | undefined;
}

/** Options of `exportTelemetry`. */
export interface ExportTelemetryOptions extends SpanFilter, Omit<TelemetrySettings, "content"> {
  /** The environment, for the `OTEL_` variables and variables that headers name. Defaults to an empty environment. */
  readonly env?: Environment | undefined;
}

/** The result of `exportTelemetry`. */
export interface ExportedTelemetry {
  /** The number of spans that were sent. */
  readonly spans: number;
  /** The number of sessions to which the spans belong. */
  readonly sessions: number;
}

/**
 * Sends the spans of recorded sessions to an OTLP receiver. The spans have the same ids as those that are sent while
 * the sessions run. Rejects with `invalid_config` if no receiver is configured, with `unreachable` if the receiver does not
 * accept the spans, and with `session_not_found` for an unknown session id.
 */
export async function exportTelemetry(
  halyard: Halyard,
  { env = {}, endpoint, headers, ...filter }: ExportTelemetryOptions = {},
): Promise<ExportedTelemetry> {
  const settings = { ...(endpoint !== undefined && { endpoint }), ...(headers && { headers }) };
  const target = telemetryTarget(settings, { ...env, OTEL_METRICS_EXPORTER: "none" });
  if (target === undefined)
    throw new HalyardError(
      "invalid_config",
      'There is no receiver for telemetry. Pass its URL with --endpoint (in the library: endpoint), or set OTEL_EXPORTER_OTLP_ENDPOINT, or "telemetry": { "endpoint": "http://127.0.0.1:4318" } in config.json.',
    );
  const { openOtlp } = await import("./otlp.ts");
  await using connection = await openOtlp(target);
  const ids = new Set<string>();
  let spans = 0;
  let batch: Span[] = [];
  const send = async () => {
    if (batch.length > 0) await connection.send(batch).catch((error) => refused(target, error));
    spans += batch.length;
    batch = [];
  };
  for await (const span of spansIn(halyard, filter)) {
    ids.add(span.traceId);
    batch.push(span);
    if (batch.length >= BATCH) await send();
  }
  await send();
  return { spans, sessions: ids.size };
}

function refused({ tracesUrl }: TelemetryTarget, cause: unknown): never {
  const message = `The receiver ${tracesUrl} did not accept the spans: ${sentence(reasonOf(cause))} Check that it is running and accepts OTLP with protobuf over HTTP, and export again.`;
  throw new HalyardError("unreachable", message, { cause });
}

/** Yields the spans that the filter selects, session by session. Throws `session_not_found` for an unknown session id. */
export async function* spansIn(
  halyard: Pick<Halyard, "sessions" | "events" | "find">,
  { since = "", sessions, content = false }: SpanFilter,
): AsyncGenerator<Span> {
  for await (const info of sessions ? named(halyard, sessions) : all(halyard)) {
    if (info.updatedAt < since) continue;
    const mapper = new SpanMapper({ content });
    for await (const event of halyard.events(info.id, { follow: false }))
      for (const span of mapper.map(event, info)) if (span.endAt >= since) yield span;
  }
}

async function* named(
  halyard: Pick<Halyard, "find">,
  ids: readonly string[],
): AsyncGenerator<SessionInfo> {
  for (const id of ids) {
    const info = await halyard.find(id);
    if (info === undefined)
      throw new HalyardError(
        "session_not_found",
        `Session "${id}" not found. Run "halyard sessions" to list sessions.`,
      );
    yield info;
  }
}

async function* all(halyard: Pick<Halyard, "sessions">): AsyncGenerator<SessionInfo> {
  for (let offset = 0; ; offset += PAGE) {
    const page = await halyard.sessions({ offset, limit: PAGE });
    yield* page;
    if (page.length < PAGE) return;
  }
}

const PAGE = 100;
const BATCH = 500;
