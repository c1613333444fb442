import type { Adapter } from "../contracts/adapter.ts";
import type { HalyardParts } from "../contracts/halyard-parts.ts";
import type { AskedRequest, SessionRequest } from "../contracts/session-request.ts";
import { HalyardError } from "../errors/error.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { SessionInfo } from "../schema/session.ts";
import { readRequest, requireCapabilities } from "../session/session-request.ts";
import { checkToolNames } from "../session/tool-names.ts";
import { knownRuntime, usableAdapter } from "./runtimes.ts";

/** The adapter of a session, and its request with all configured settings applied. */
export interface ResolvedAdapter {
  readonly adapter: Adapter;
  readonly request: SessionRequest;
  /** The configured default runtime that was not available, and the reason. */
  readonly fallback?: NonNullable<SessionInfo["fallback"]>;
  /** Warnings about ignored configuration settings, and about tools that the runtime may not have. */
  readonly warnings: readonly string[];
}

/**
 * Returns the adapter for a new session: the requested adapter, otherwise the parent's adapter, otherwise the configured
 * default. Rejects a requested runtime that differs from the parent's. If the default cannot run on this machine, returns
 * the adapter of its fallback, and the reason in `fallback`.
 */
export async function resolveAdapter(
  parts: HalyardParts,
  request: AskedRequest,
  parent: SessionInfo | undefined,
): Promise<ResolvedAdapter> {
  const runtime = await requestedRuntime(parts, request);
  if (parent) requireSameRuntime(parent, runtime);
  const asked = runtime === undefined ? request : { ...request, runtime };
  const { decision, fallback, ...resolved } = await parts.resolve(asked, {
    isNew: true,
    session: parent,
  });
  const { onLimit } = resolved.request;
  if (typeof onLimit === "object") await requireTarget(parts, resolved.request, onLimit.handoff);
  try {
    const adapter = await usableAdapter(parts.adapters, decision.runtime, resolved.request);
    const warnings = [...resolved.warnings, ...checkToolNames(adapter, request.tools)];
    return { adapter, request: resolved.request, warnings };
  } catch (error) {
    if (fallback === undefined || !isUnavailable(error)) throw error;
    const { message: reason } = error;
    const other = await resolveAdapter(parts, { ...request, runtime: fallback }, parent);
    const warnings = [...resolved.warnings, ...other.warnings];
    return { ...other, fallback: { from: decision.runtime, reason }, warnings };
  }
}

/**
 * Rejects a runtime that could not continue the session at a usage limit. The runtime may be unknown, it may not run on
 * this machine, or the configuration may lack an option that it needs, such as the command of an ACP agent.
 */
async function requireTarget(
  parts: HalyardParts,
  { cwd, host, labels, plan, project, container, trust }: SessionRequest,
  handoff: string,
): Promise<void> {
  const runtime = await knownRuntime(parts.adapters, handoff);
  const asked = { cwd, host, labels, plan, project, container, trust, runtime };
  const { request } = await parts.resolve(await readRequest(asked), { isNew: true });
  const advice = "Choose another runtime for the handoff at a usage limit.";
  try {
    const adapter = await usableAdapter(parts.adapters, runtime, request);
    requireCapabilities(adapter, request);
    adapter.checkOptions?.(request.options);
  } catch (error) {
    if (!(error instanceof HalyardError)) throw error;
    throw new HalyardError(error.code, `onLimit: ${error.message} ${advice}`, { cause: error });
  }
}

async function requestedRuntime(
  { adapters }: HalyardParts,
  { runtime }: AskedRequest,
): Promise<RuntimeName | undefined> {
  return runtime === undefined ? undefined : knownRuntime(adapters, runtime);
}

/** Rejects a runtime that differs from the parent session's runtime. */
function requireSameRuntime({ id, runtime }: SessionInfo, asked: RuntimeName = runtime): void {
  if (asked === runtime) return;
  throw new HalyardError(
    "unsupported",
    `Session ${id} runs on ${runtime}, and so do its children: hybrid execution (different runtimes at different ` +
      `depths) is not supported. Omit the runtime, or choose ${runtime}.`,
  );
}

function isUnavailable(error: unknown): error is HalyardError {
  return error instanceof HalyardError && error.code === "runtime_unavailable";
}
