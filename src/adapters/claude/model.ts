import { NO_KEY } from "../../adapter-kit/model-endpoint.ts";
import { HalyardError } from "../../errors/error.ts";
import type { ModelEndpoint, ReasoningLevel } from "../../schema/model.ts";

/** The source of Claude's model. */
export type ModelSource =
  /** The endpoint or key in the request. The user's login and settings are ignored. */
  | {
      readonly kind: "given";
      readonly apiKey: string;
      readonly baseUrl?: string | undefined;
      readonly id?: string | undefined;
    }
  /** The user's own Claude Code setup. */
  | { readonly kind: "own"; readonly id?: string | undefined };

/** Returns a request's model source. Throws `unsupported` for protocols other than `anthropic`. */
export function modelSource(model: ModelEndpoint | undefined): ModelSource {
  const { id, baseUrl, api = "anthropic", apiKey } = model ?? {};
  if (api !== "anthropic")
    throw new HalyardError(
      "unsupported",
      `Claude Code supports only the Anthropic API, not ${api}. Choose another endpoint or another runtime.`,
    );
  if (baseUrl === undefined && apiKey === undefined) return { kind: "own", id };
  return { kind: "given", apiKey: apiKey ?? NO_KEY, baseUrl, id };
}

/** Returns the environment variables that configure the requested model, including its key. */
export function modelEnvironment(source: ModelSource): Record<string, string> {
  if (source.kind === "own") return {};
  const { apiKey, baseUrl, id } = source;
  const key = { ANTHROPIC_API_KEY: apiKey };
  if (baseUrl === undefined) return key;
  const names = id === undefined ? [] : modelVariables.map((name) => [name, id]);
  return { ...key, ANTHROPIC_BASE_URL: baseUrl, ...Object.fromEntries(names) };
}

/**
 * The variables that select the models for subagents and background requests. Halyard sets them to the model of an
 * endpoint with its own URL, because such an endpoint may not serve Claude's default models.
 */
const modelVariables = [
  "ANTHROPIC_DEFAULT_OPUS_MODEL",
  "ANTHROPIC_DEFAULT_SONNET_MODEL",
  "ANTHROPIC_DEFAULT_HAIKU_MODEL",
  "ANTHROPIC_SMALL_FAST_MODEL",
  "CLAUDE_CODE_SUBAGENT_MODEL",
];

/**
 * Returns variables for the `env` of Claude's settings. They override the endpoint and the token in a project's settings,
 * which take precedence over the process's environment. Returns none if the request has no endpoint URL.
 */
export function modelSettings(source: ModelSource): Record<string, string> {
  if (source.kind === "own" || source.baseUrl === undefined) return {};
  return { ANTHROPIC_BASE_URL: source.baseUrl, ANTHROPIC_AUTH_TOKEN: "" };
}

/** Maps reasoning levels to Claude's effort levels. `off` has no effort level. */
export const effortLevels = {
  off: undefined,
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  max: "max",
} as const satisfies Record<ReasoningLevel, string | undefined>;
