import { HalyardError, reasonOf } from "../../errors/error.ts";
import { whyUnavailable } from "../../halyard/availability.ts";
import { HalyardSource } from "../halyard-source.ts";
import type { AgentRuntime, AgentRuntimeKind, Attempt } from "./agent-runtime.ts";
import { decideAgentRuntime, type RunConfig } from "./run-config.ts";
import { RunningRuntime, type RunOptions } from "./running-runtime.ts";

/**
 * Returns an agent's runtime. `forceKind` takes precedence over the configuration. If the Claude Agent SDK or the default
 * runtime cannot be loaded, Pi replaces it, and `meta.attempts` in every result contains the error. Rejects if any other
 * runtime cannot be loaded.
 */
export async function createAgentRuntime(
  given: RunConfig | undefined,
  agentId: string,
  forceKind?: AgentRuntimeKind,
  options: RunOptions = {},
): Promise<AgentRuntime> {
  const config = given ?? {};
  const decision = decideAgentRuntime(config, agentId);
  const kind = forceKind ?? decision.runtime;
  if (kind === "pi") return createPiAgentRuntime(config, options);
  const isReplaceable = kind === CCSDK || (forceKind === undefined && !decision.explicit);
  try {
    const displayName = await requireRuntime(kind, options);
    return new RunningRuntime({ kind, displayName, config, options, isReplaceable });
  } catch (error) {
    if (!isReplaceable || !isLoadFailure(error)) throw error;
    return createPiAgentRuntime(config, options, [{ runtime: kind, error: reasonOf(error) }]);
  }
}

const CCSDK = "ccsdk";

/** Returns a runtime's display name. Rejects if the runtime is not available. */
async function requireRuntime(kind: AgentRuntimeKind, options: RunOptions): Promise<string> {
  await using source = new HalyardSource(options);
  const { displayName, availability } = await (await source.open()).inspect(kind);
  const problem = whyUnavailable(kind, availability);
  if (problem) throw problem;
  return displayName;
}

/** True if the runtime could not be loaded. False for other errors, such as an unknown name or an unreadable home. */
function isLoadFailure(error: unknown): boolean {
  return !(error instanceof HalyardError) || error.code === "runtime_unavailable";
}

/** Creates the runtime for Pi. `failed` lists the runtimes that Pi replaces. */
export function createPiAgentRuntime(
  config: RunConfig = {},
  options: RunOptions = {},
  failed: readonly Attempt[] = [],
): AgentRuntime {
  return new RunningRuntime({ kind: "pi", displayName: "Pi Agent", config, options, failed });
}

/**
 * Creates the runtime for the Claude Agent SDK. The first run loads the SDK. If the SDK cannot be loaded, Pi runs the
 * turn, and `meta.attempts` contains the error.
 */
export function createCcSdkAgentRuntime(
  config: RunConfig = {},
  options: RunOptions = {},
): AgentRuntime {
  const displayName = "CCSDK Agent";
  return new RunningRuntime({ kind: CCSDK, displayName, config, options, isReplaceable: true });
}
