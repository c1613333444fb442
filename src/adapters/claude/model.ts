import { HalyardError } from "../../core/error.ts";
import { NO_KEY } from "../../core/model-endpoint.ts";
import type { ModelEndpoint, ReasoningLevel } from "../../schema/model.ts";

/** Where Claude gets its model from. */
export type ModelSource =
  /** An endpoint or a key that was given to us: nothing of the user's login or settings counts. */
  | {
      readonly kind: "given";
      readonly apiKey: string;
      readonly baseUrl?: string | undefined;
      readonly id?: string | undefined;
    }
  /** Whatever the user has set up for Claude Code. */
  | { readonly kind: "own"; readonly id?: string | undefined };

export function modelSource(model: ModelEndpoint | undefined): ModelSource {
  const { id, baseUrl, api = "anthropic", apiKey } = model ?? {};
  if (api !== "anthropic")
    throw new HalyardError("unsupported", `Claude Code speaks the Anthropic API only, not ${api}`);
  if (baseUrl === undefined && apiKey === undefined) return { kind: "own", id };
  return { kind: "given", apiKey: apiKey ?? NO_KEY, baseUrl, id };
}

/** What tells Claude of the model that was given, key and all. */
export function modelEnvironment(source: ModelSource): Record<string, string> {
  if (source.kind === "own") return {};
  const { apiKey, baseUrl, id } = source;
  const key = { ANTHROPIC_API_KEY: apiKey };
  if (baseUrl === undefined) return key;
  const names = id === undefined ? [] : modelVariables.map((name) => [name, id]);
  return { ...key, ANTHROPIC_BASE_URL: baseUrl, ...Object.fromEntries(names) };
}

/** For its subagents and small errands Claude would ask for models that only Anthropic has. */
const modelVariables = [
  "ANTHROPIC_DEFAULT_OPUS_MODEL",
  "ANTHROPIC_DEFAULT_SONNET_MODEL",
  "ANTHROPIC_DEFAULT_HAIKU_MODEL",
  "ANTHROPIC_SMALL_FAST_MODEL",
  "CLAUDE_CODE_SUBAGENT_MODEL",
];

/** A project's settings may name another endpoint, and would win over the environment. */
export function modelSettings(source: ModelSource): Record<string, string> {
  if (source.kind === "own" || source.baseUrl === undefined) return {};
  return { ANTHROPIC_BASE_URL: source.baseUrl, ANTHROPIC_AUTH_TOKEN: "" };
}

/** Claude's own word for how hard to think; `off` is not one of them. */
export const effortLevels = {
  off: undefined,
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  max: "max",
} as const satisfies Record<ReasoningLevel, string | undefined>;
