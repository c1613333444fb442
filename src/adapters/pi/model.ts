import { HalyardError } from "../../core/error.ts";
import type { ModelApi, ModelEndpoint, ReasoningLevel } from "../../schema/model.ts";

/** Where Pi gets its model from. */
export type ModelSource =
  /** A provider of our making. */
  | { readonly kind: "endpoint"; readonly endpoint: Endpoint }
  /** One of Pi's own providers, with a key that was given to us. */
  | {
      readonly kind: "vendor";
      readonly provider: "anthropic" | "openai";
      readonly apiKey: string;
      readonly id?: string | undefined;
    }
  /** Whatever the user has set up for Pi. */
  | { readonly kind: "own"; readonly id?: string | undefined };

export interface Endpoint {
  readonly id: string;
  readonly baseUrl: string;
  readonly api: ModelApi;
  readonly apiKey: string;
}

/** What Pi calls a provider of our making. */
export const PROVIDER = "halyard";

type Environment = Readonly<Record<string, string | undefined>>;

export function modelSource(model: ModelEndpoint | undefined, env: Environment): ModelSource {
  const { id, baseUrl, api, apiKey } = model ?? {};
  if (baseUrl !== undefined) {
    const endpoint = { baseUrl, api: api ?? guessApi(baseUrl), apiKey: apiKey ?? NO_KEY };
    return { kind: "endpoint", endpoint: { id: named(id, baseUrl), ...endpoint } };
  }
  const vendor = vendors[api ?? "anthropic"];
  const key = apiKey ?? (api === undefined ? undefined : env[vendor.variable]);
  if (key === undefined || key === "") return { kind: "own", id };
  if (vendor.provider !== undefined)
    return { kind: "vendor", provider: vendor.provider, apiKey: key, id };
  const endpoint = { baseUrl: OPENAI_URL, api: "openai-chat", apiKey: key } as const;
  return { kind: "endpoint", endpoint: { id: named(id, OPENAI_URL), ...endpoint } };
}

const OPENAI_URL = "https://api.openai.com/v1";

/** Pi speaks to OpenAI itself through the Responses API only. */
const vendors = {
  anthropic: { provider: "anthropic", variable: "ANTHROPIC_API_KEY" },
  "openai-responses": { provider: "openai", variable: "OPENAI_API_KEY" },
  "openai-chat": { provider: undefined, variable: "OPENAI_API_KEY" },
} as const satisfies Record<ModelApi, unknown>;

/** Models on one's own machine ask for no key, but Pi does. */
const NO_KEY = "none";

/** By the rule of `ModelEndpoint`: the URLs of the OpenAI APIs end in `/v1`. */
function guessApi(baseUrl: string): ModelApi {
  return /\/v1\/?$/.test(baseUrl) ? "openai-chat" : "anthropic";
}

function named(id: string | undefined, baseUrl: string): string {
  if (id !== undefined) return id;
  throw new HalyardError("invalid_input", `Pi has to be told which model to use at ${baseUrl}`);
}

/**
 * The provider in the words of Pi's `models.json` and of its SDK. Without a word on reasoning the model is told as
 * one that cannot, for not every model behind an endpoint takes the parameters.
 */
export function providerConfig(
  endpoint: Endpoint,
  reasoning: ReasoningLevel | undefined,
  apiKey: string,
) {
  return {
    baseUrl: endpoint.baseUrl,
    api: piApis[endpoint.api],
    apiKey,
    models: [
      {
        id: endpoint.id,
        name: endpoint.id,
        reasoning: reasoning !== undefined && reasoning !== "off",
        input: ["text" as const],
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        contextWindow: 128_000,
        maxTokens: 16_384,
      },
    ],
  };
}

const piApis = {
  anthropic: "anthropic-messages",
  "openai-chat": "openai-completions",
  "openai-responses": "openai-responses",
} as const satisfies Record<ModelApi, string>;

/** Pi lowers what a model does not support by itself. */
export const thinkingLevels = {
  off: "off",
  minimal: "minimal",
  low: "low",
  medium: "medium",
  high: "high",
  max: "xhigh",
} as const satisfies Record<ReasoningLevel, string>;

export function notSignedIn(detail?: string): HalyardError {
  const what =
    "Pi has no key for a model: set HALYARD_API_KEY and say which API it is for (--api), " +
    "set a provider's own key such as ANTHROPIC_API_KEY, or run pi and sign in with /login";
  return new HalyardError("not_signed_in", detail === undefined ? what : `${what} (${detail})`);
}
