import { whyUnavailable } from "../../core/availability.ts";
import { HalyardSource } from "../halyard-source.ts";
import type { AgentRuntime, AgentRuntimeKind, Attempt } from "./agent-runtime.ts";
import { decideRuntime, type RunConfig } from "./run-config.ts";
import { RunningRuntime, type RunOptions } from "./running-runtime.ts";

/**
 * The runtime of an agent; `forceKind` goes before the configuration. Where the one of the defaults cannot run here,
 * Pi takes its place, and every result says so.
 */
export async function createAgentRuntime(
  config: RunConfig,
  agentId: string,
  forceKind?: AgentRuntimeKind,
  options: RunOptions = {},
): Promise<AgentRuntime> {
  const decision = decideRuntime(config, agentId);
  const kind = forceKind ?? decision.runtime;
  if (kind === "pi") return createPiAgentRuntime(config, options);
  await using source = new HalyardSource(options);
  const { displayName, availability } = await (await source.open()).examine(kind);
  const problem = whyUnavailable(kind, availability);
  if (problem === undefined) return new RunningRuntime({ kind, displayName, config, options });
  if (forceKind !== undefined || decision.explicit) throw problem;
  return createPiAgentRuntime(config, options, [{ runtime: kind, error: problem.message }]);
}

/** Pi as a runtime. `failed` are those that it takes the place of. */
export function createPiAgentRuntime(
  config: RunConfig = {},
  options: RunOptions = {},
  failed: readonly Attempt[] = [],
): AgentRuntime {
  return new RunningRuntime({ kind: "pi", displayName: "Pi Agent", config, options, failed });
}
