import { HalyardError } from "../../core/error.ts";
import type { ModelApi, ModelEndpoint, ReasoningLevel } from "../../schema/model.ts";

/** Where OpenCode gets its model from. */
export type ModelSource =
  /** A provider of our making. */
  | { readonly kind: "endpoint"; readonly endpoint: Endpoint }
  /** One of OpenCode's own providers, with a key that was given to us. */
  | { readonly kind: "vendor"; readonly provider: "anthropic" | "openai"; readonly apiKey: string }
  /** Whatever the user has set up for OpenCode. */
  | { readonly kind: "own" };

export interface Endpoint {
  readonly id: string;
  readonly baseUrl: string;
  readonly api: ModelApi;
  readonly apiKey: string;
}

/** What OpenCode calls a provider of our making. */
export const PROVIDER = "halyard";

type Environment = Readonly<Record<string, string | undefined>>;

export function modelSource(model: ModelEndpoint | undefined, env: Environment): ModelSource {
  const { id, baseUrl, api, apiKey } = model ?? {};
  if (baseUrl !== undefined)
    return endpoint(id, baseUrl, api ?? guessApi(baseUrl), apiKey ?? NO_KEY);
  const key = apiKey ?? (api === undefined ? undefined : env[vendors[api].variable]);
  if (key === undefined || key === "") return { kind: "own" };
  const { provider } = vendors[api ?? "anthropic"];
  if (provider === undefined) return endpoint(id, OPENAI_URL, "openai-chat", key);
  return { kind: "vendor", provider, apiKey: key };
}

/** OpenCode speaks to OpenAI itself through the Responses API. */
const vendors = {
  anthropic: { provider: "anthropic", variable: "ANTHROPIC_API_KEY" },
  "openai-responses": { provider: "openai", variable: "OPENAI_API_KEY" },
  "openai-chat": { provider: undefined, variable: "OPENAI_API_KEY" },
} as const satisfies Record<ModelApi, unknown>;

const OPENAI_URL = "https://api.openai.com/v1";

/** Models on one's own machine ask for no key, but the libraries below OpenCode do. */
const NO_KEY = "none";

/** By the rule of `ModelEndpoint`: the URLs of the OpenAI APIs end in `/v1`. */
function guessApi(baseUrl: string): ModelApi {
  return /\/v1\/?$/.test(baseUrl) ? "openai-chat" : "anthropic";
}

function endpoint(
  id: string | undefined,
  baseUrl: string,
  api: ModelApi,
  apiKey: string,
): ModelSource {
  if (id === undefined)
    throw new HalyardError(
      "invalid_input",
      `OpenCode has to be told which model to use at ${baseUrl}`,
    );
  return { kind: "endpoint", endpoint: { id, baseUrl, api, apiKey } };
}

/** OpenCode's names for how hard to think, the best first; a model has some of them, or none. */
export function variantsFor(level: ReasoningLevel | undefined): readonly string[] {
  return level === undefined ? [] : variants[level];
}

const variants = {
  off: ["none"],
  minimal: ["minimal", "low"],
  low: ["low", "minimal"],
  medium: ["medium", "high", "low"],
  high: ["high", "max", "medium"],
  max: ["max", "xhigh", "high"],
} as const satisfies Record<ReasoningLevel, readonly string[]>;
