import { resolveRuntime } from "../../config/resolve-runtime.ts";
import type { ModelEndpoint } from "../../schema/model.ts";
import type { RuntimeDecision } from "../../schema/runtimes/runtime-decision.ts";
import type { AgentRuntimeKind } from "./agent-runtime.ts";

/** The settings of one agent, or the defaults of all agents. */
export interface AgentSettings {
  readonly runtime?: AgentRuntimeKind;
}

/** The part of the configuration of a gateway that this interface reads. */
export interface RunConfig {
  readonly agents?: {
    readonly defaults?: AgentSettings;
    readonly list?: readonly (AgentSettings & { readonly id: string })[];
  };
  /** The endpoints of providers that the runtime does not know. */
  readonly models?: {
    readonly providers?: Readonly<Record<string, Omit<ModelEndpoint, "id">>>;
  };
}

/** Returns the runtime of an agent: its own runtime, otherwise the default, otherwise Pi. */
export function resolveAgentRuntimeKind(
  config: RunConfig | undefined,
  agentId: string,
): AgentRuntimeKind {
  return decideRuntime(config ?? {}, agentId).runtime;
}

/** Returns the runtime of an agent, and whether it was chosen explicitly. */
export function decideRuntime({ agents }: RunConfig, agentId: string): RuntimeDecision {
  const { defaults, list } = agents ?? {};
  // An empty name means that the field is not set. If two agents have the same id, the first one decides.
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

/** Returns the model of a run: with the endpoint of its provider, or as a model id of the runtime. */
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
