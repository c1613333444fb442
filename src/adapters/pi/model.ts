import { HalyardError } from "../../core/error.ts";
import type { WholeEndpoint } from "../../core/model-endpoint.ts";
import { type ProviderSource, providerSource } from "../../core/provider-source.ts";
import type { ModelApi, ModelEndpoint, ReasoningLevel } from "../../schema/model.ts";

/** Where Pi gets its model from; one of a provider of Pi's own is found by its name there. */
export type ModelSource =
  | Extract<ProviderSource, { kind: "endpoint" }>
  | (Exclude<ProviderSource, { kind: "endpoint" }> & { readonly id?: string | undefined });

/** What Pi calls a provider of our making. */
export const PROVIDER = "halyard";

export function modelSource(
  model: ModelEndpoint | undefined,
  env: Readonly<Record<string, string | undefined>>,
): ModelSource {
  const source = providerSource(model, { program: "Pi", env });
  return source.kind === "endpoint" ? source : { ...source, id: model?.id };
}

/**
 * The provider in the words of Pi's `models.json` and of its SDK. Without a word on reasoning the model is told as
 * one that cannot, for not every model behind an endpoint takes the parameters.
 */
export function providerConfig(
  endpoint: WholeEndpoint,
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
