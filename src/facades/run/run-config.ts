import { resolveRuntime } from "../../config/resolve-runtime.ts";
import type { ModelEndpoint } from "../../schema/model.ts";
import type { RuntimeDecision } from "../../schema/runtime-decision.ts";
import type { AgentRuntimeKind } from "./agent-runtime.ts";

interface AgentSettings {
  readonly runtime?: AgentRuntimeKind;
}

/** The part of a gateway's configuration that is read here. */
export interface RunConfig {
  readonly agents?: {
    readonly defaults?: AgentSettings;
    readonly list?: readonly (AgentSettings & { readonly id: string })[];
  };
  /** Where a provider's models are served, for those that the runtime does not know by itself. */
  readonly models?: {
    readonly providers?: Readonly<Record<string, Omit<ModelEndpoint, "id">>>;
  };
}

/** The runtime of an agent: its own, else the one of the defaults, else Pi. Without a configuration, Pi. */
export function resolveAgentRuntimeKind(
  config: RunConfig | undefined,
  agentId: string,
): AgentRuntimeKind {
  return decideRuntime(config ?? {}, agentId).runtime;
}

/** The same, with whether somebody meant that runtime and no other. */
export function decideRuntime({ agents }: RunConfig, agentId: string): RuntimeDecision {
  const { defaults, list = [] } = agents ?? {};
  const value = {
    agents: {
      ...(defaults?.runtime && { defaults: { runtime: defaults.runtime } }),
      list: list.map(({ id, runtime }) => ({ id, runtime })),
    },
  };
  // The program that calls us wrote it.
  const settings = { path: "the configuration", directory: "", isTrusted: true, value };
  return resolveRuntime({ settings }, { agentId });
}

/** The model of a run: at the endpoint of its provider, or by the name that the runtime has for it. */
export function modelOf(
  { models }: RunConfig,
  { kind, provider, model }: { kind: AgentRuntimeKind; provider: string; model: string },
): string | ModelEndpoint {
  const endpoint = models?.providers?.[provider];
  if (endpoint) return { ...endpoint, id: model };
  return manyProviders.includes(kind) ? `${provider}/${model}` : model;
}

/** Those that know models of many providers, and tell them apart by these. */
const manyProviders: readonly string[] = ["pi", "opencode"];
