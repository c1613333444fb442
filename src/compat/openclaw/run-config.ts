import { resolveRuntime } from "../../config/resolve-runtime.ts";
import type { ModelEndpoint } from "../../schema/model.ts";
import type { RuntimeDecision } from "../../schema/runtimes/runtime-decision.ts";
import type { AgentRuntimeKind } from "./agent-runtime.ts";

/** One agent's settings, or the defaults for all agents. */
export interface AgentSettings {
  readonly runtime?: AgentRuntimeKind;
}

/** The part of a gateway's configuration that this interface reads. */
export interface RunConfig {
  readonly agents?: {
    readonly defaults?: AgentSettings;
    readonly list?: readonly (AgentSettings & { readonly id: string })[];
  };
  /** The endpoints of providers, by name. For any other provider, the runtime uses its own settings. */
  readonly models?: {
    readonly providers?: Readonly<Record<string, Omit<ModelEndpoint, "id">>>;
  };
}

/** Returns an agent's runtime: its own, otherwise the default, otherwise Pi. */
export function resolveAgentRuntimeKind(
  config: RunConfig | undefined,
  agentId: string,
): AgentRuntimeKind {
  return decideAgentRuntime(config ?? {}, agentId).runtime;
}

/** Returns an agent's runtime, and whether it was chosen explicitly. */
export function decideAgentRuntime({ agents }: RunConfig, agentId: string): RuntimeDecision {
  const { defaults, list } = agents ?? {};
  // An empty name means that the field is not set. If two agents have the same id, the first one is used.
  const value = {
    agents: {
      ...(defaults?.runtime && { defaults: { runtime: defaults.runtime } }),
      list: (list ?? []).map(({ id, runtime }) => ({ id, ...(runtime && { runtime }) })),
    },
  };
  // The calling program provides this configuration, so it is trusted.
  const settings = { path: "the configuration", directory: "", isTrusted: true, value };
  return resolveRuntime({ settings }, { agentId });
}

/** Returns a run's model: with an endpoint if the configuration contains the provider, otherwise the runtime's model id. */
export function modelOf(
  { models }: RunConfig,
  { kind, provider, model }: { kind: AgentRuntimeKind; provider: string; model: string },
): string | ModelEndpoint {
  const endpoint = models?.providers?.[provider];
  if (endpoint) return { ...endpoint, id: model };
  return manyProviders.includes(kind) ? `${provider}/${model}` : model;
}

/** Runtimes whose model ids start with the provider. */
const manyProviders: readonly string[] = ["pi", "opencode"];
