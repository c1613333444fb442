import type { WholeEndpoint } from "../../../adapter-kit/model-endpoint.ts";
import { type ProviderSource, providerSource } from "../../../adapter-kit/provider-source.ts";
import type { TurnInput } from "../../../contracts/adapter.ts";
import { HalyardError } from "../../../errors/error.ts";
import type { ModelApi, ModelEndpoint, ReasoningLevel } from "../../../schema/model.ts";

/** The source of Pi's model. `id` names a model from one of Pi's own providers. */
export type ModelSource =
  | Extract<ProviderSource, { kind: "endpoint" }>
  | (Exclude<ProviderSource, { kind: "endpoint" }> & { readonly id?: string | undefined });

/** The name of the provider that Halyard configures. */
export const PROVIDER = "halyard";

/** Returns a request's model source. Throws `invalid_input` if an endpoint has no model name. */
export function modelSource(
  model: ModelEndpoint | undefined,
  env: Readonly<Record<string, string | undefined>>,
): ModelSource {
  const source = providerSource(model, { program: "Pi", env });
  return source.kind === "endpoint" ? source : { ...source, id: model?.id };
}

/**
 * Returns the provider in the format of Pi's `models.json` and SDK. If the request sets no reasoning level, the model
 * is configured without reasoning, because not every model accepts the parameters of reasoning.
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
        input: ["text" as const, "image" as const],
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

/** Returns a message's images in the format of Pi's SDK and RPC, or an empty object if the message has none. */
export function piImages({ images = [] }: Pick<TurnInput, "images">) {
  if (images.length === 0) return {};
  const content = images.map(({ data, mediaType: mimeType }) => ({
    type: "image" as const,
    data,
    mimeType,
  }));
  return { images: content };
}

/** Maps reasoning levels to Pi's thinking levels. Pi itself lowers a level that the model does not support. */
export const thinkingLevels = {
  off: "off",
  minimal: "minimal",
  low: "low",
  medium: "medium",
  high: "high",
  max: "xhigh",
} as const satisfies Record<ReasoningLevel, string>;

/** Returns the error for a session without a key or a login. */
export function notSignedIn(detail?: string): HalyardError {
  const message =
    "Pi has no key for a model. Set HALYARD_API_KEY and its API (--api), " +
    'set a provider\'s own key such as ANTHROPIC_API_KEY, or run "pi" and sign in with /login.';
  return new HalyardError(
    "not_signed_in",
    detail === undefined ? message : `${message} (${detail})`,
  );
}
