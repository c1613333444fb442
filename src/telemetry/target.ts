import { HalyardError } from "../errors/error.ts";
import type { Environment } from "../programs/environment.ts";
import type { TelemetrySettings } from "../schema/telemetry.ts";

/** The receiver of spans and metrics. */
export interface TelemetryTarget {
  /** Undefined if no spans are sent. */
  readonly tracesUrl: string | undefined;
  /** Undefined if no metrics are sent. */
  readonly metricsUrl: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The base URL, for agents that send their own telemetry. */
  readonly endpoint: string | undefined;
  readonly content: boolean;
  readonly joinAgents: boolean;
  readonly resource: Readonly<Record<string, string>>;
  readonly metricsIntervalMs: number;
}

/**
 * Returns the receiver of telemetry: the endpoint in the settings, otherwise the endpoint in the standard OpenTelemetry
 * variables. Returns undefined if neither is set or the variables disable telemetry. Throws `invalid_config` for an
 * invalid URL, another protocol, or a header with a variable that is not set.
 */
export function telemetryTarget(
  settings: TelemetrySettings | undefined,
  env: Environment,
): TelemetryTarget | undefined {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === "true") return undefined;
  const endpoint = settings?.endpoint ?? nonEmpty(env.OTEL_EXPORTER_OTLP_ENDPOINT);
  const urlOf = (signal: "TRACES" | "METRICS") => {
    if (env[`OTEL_${signal}_EXPORTER`] === "none") return undefined;
    const own = nonEmpty(env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]);
    if (settings?.endpoint === undefined && own !== undefined) return requireUrl(own);
    return endpoint && `${requireUrl(endpoint).replace(/\/+$/, "")}/v1/${signal.toLowerCase()}`;
  };
  const [tracesUrl, metricsUrl] = [urlOf("TRACES"), urlOf("METRICS")];
  if (tracesUrl === undefined && metricsUrl === undefined) return undefined;
  requireProtobuf(env);
  return {
    tracesUrl,
    metricsUrl,
    endpoint,
    headers: { ...pairsIn(env.OTEL_EXPORTER_OTLP_HEADERS), ...headersOf(settings, env) },
    content: settings?.content ?? false,
    joinAgents: settings?.joinAgents ?? false,
    resource: {
      "service.name": nonEmpty(env.OTEL_SERVICE_NAME) ?? "halyard",
      ...pairsIn(env.OTEL_RESOURCE_ATTRIBUTES),
    },
    metricsIntervalMs: Number(env.OTEL_METRIC_EXPORT_INTERVAL) || 60_000,
  };
}

function requireUrl(text: string): string {
  if (URL.canParse(text) && /^https?:/i.test(text)) return text;
  throw new HalyardError(
    "invalid_config",
    `Telemetry cannot be sent to "${text}", which is not an HTTP URL. Use the URL of an OTLP receiver, such as http://127.0.0.1:4318.`,
  );
}

function requireProtobuf(env: Environment): void {
  const protocol = nonEmpty(env.OTEL_EXPORTER_OTLP_PROTOCOL) ?? "http/protobuf";
  if (protocol === "http/protobuf") return;
  throw new HalyardError(
    "invalid_config",
    `Telemetry cannot be sent with OTEL_EXPORTER_OTLP_PROTOCOL=${protocol}: Halyard sends protobuf over HTTP, which every OTLP receiver accepts, usually on port 4318. Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf and the endpoint of that port.`,
  );
}

/** Replaces `${NAME}` in header values, so that the file need not contain keys. */
function headersOf(
  settings: TelemetrySettings | undefined,
  env: Environment,
): Record<string, string> {
  const resolve = (header: string, text: string) =>
    text.replace(/\$\{(\w+)\}/g, (_, name: string) => {
      const value = nonEmpty(env[name]);
      if (value !== undefined) return value;
      throw new HalyardError(
        "invalid_config",
        `The header ${header} of "telemetry" names the variable ${name}, which is not set. Set ${name} in the environment.`,
      );
    });
  const given = Object.entries(settings?.headers ?? {});
  return Object.fromEntries(given.map(([name, value]) => [name, resolve(name, value)]));
}

/** Parses `name=value,name=value`, in which values may be percent-encoded. */
function pairsIn(text = ""): Record<string, string> {
  const pairs = text.split(",").flatMap((part) => {
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(part) ?? [];
    return name === undefined || value === undefined ? [] : [[name, decode(value)] as const];
  });
  return Object.fromEntries(pairs);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // the percent sign is not part of an escape
  }
}

function nonEmpty(text: string | undefined): string | undefined {
  return text?.trim() || undefined;
}
