import type { ModelApi, ModelEndpoint } from "../schema/model.ts";
import { vendorUrls, type WholeEndpoint, wholeEndpoint } from "./model-endpoint.ts";

/** The model source of a program that supports several vendors. */
export type ProviderSource =
  /** An endpoint that Halyard adds to the program's configuration as a provider. */
  | { readonly kind: "endpoint"; readonly endpoint: WholeEndpoint }
  /** One of the program's own providers, with a key from the request or the environment. */
  | { readonly kind: "vendor"; readonly provider: "anthropic" | "openai"; readonly apiKey: string }
  /** The user's own configuration of the program. */
  | { readonly kind: "own" };

/**
 * Chooses the model source. An endpoint with a URL takes precedence. Otherwise, chooses the vendor of the API if the
 * request contains a key, or names an API whose key is in the environment. The API defaults to `anthropic`. For
 * `openai-chat`, the source is an endpoint with the vendor's URL. Without a key, chooses the user's own configuration.
 * Throws `invalid_input` if an endpoint has no model name.
 */
export function providerSource(
  model: ModelEndpoint | undefined,
  { program, env }: { program: string; env: Readonly<Record<string, string | undefined>> },
): ProviderSource {
  const { id, baseUrl, api, apiKey } = model ?? {};
  if (baseUrl !== undefined)
    return { kind: "endpoint", endpoint: wholeEndpoint({ ...model, baseUrl }, { program }) };
  const vendor = vendors[api ?? "anthropic"];
  const key = apiKey ?? (api === undefined ? undefined : env[vendor.variable]);
  if (key === undefined || key === "") return { kind: "own" };
  if (vendor.provider !== undefined)
    return { kind: "vendor", provider: vendor.provider, apiKey: key };
  const chat = { id, baseUrl: vendorUrls["openai-chat"], api: "openai-chat", apiKey: key } as const;
  return { kind: "endpoint", endpoint: wholeEndpoint(chat, { program }) };
}

/**
 * The vendor of each API. The programs' own OpenAI provider calls only the Responses API, so `openai-chat` needs an
 * endpoint.
 */
const vendors = {
  anthropic: { provider: "anthropic", variable: "ANTHROPIC_API_KEY" },
  "openai-responses": { provider: "openai", variable: "OPENAI_API_KEY" },
  "openai-chat": { provider: undefined, variable: "OPENAI_API_KEY" },
} as const satisfies Record<ModelApi, unknown>;
