import type { ModelApi, ModelEndpoint } from "../schema/model.ts";
import { vendorUrls, type WholeEndpoint, wholeEndpoint } from "./model-endpoint.ts";

/** Where a program that knows several vendors gets its model from. */
export type ProviderSource =
  /** A provider of our making. */
  | { readonly kind: "endpoint"; readonly endpoint: WholeEndpoint }
  /** One of the program's own providers, with a key that was given to us. */
  | { readonly kind: "vendor"; readonly provider: "anthropic" | "openai"; readonly apiKey: string }
  /** Whatever the user has set up for the program. */
  | { readonly kind: "own" };

/** An endpoint goes first, then a key, as given or as found in the environment for the API that was named. */
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

/** Such programs speak to OpenAI itself through the Responses API only. */
const vendors = {
  anthropic: { provider: "anthropic", variable: "ANTHROPIC_API_KEY" },
  "openai-responses": { provider: "openai", variable: "OPENAI_API_KEY" },
  "openai-chat": { provider: undefined, variable: "OPENAI_API_KEY" },
} as const satisfies Record<ModelApi, unknown>;
