import { HalyardError } from "../errors/error.ts";
import type { ModelApi, ModelEndpoint } from "../schema/model.ts";

/** A model endpoint with all fields set. */
export interface WholeEndpoint {
  readonly id: string;
  readonly baseUrl: string;
  readonly api: ModelApi;
  readonly apiKey: string;
}

/** Adds defaults for the API and the key to an endpoint. Throws `invalid_input` if the endpoint has no model name. */
export function wholeEndpoint(
  { id, baseUrl, api = apiAt(baseUrl), apiKey = NO_KEY }: ModelEndpoint & { baseUrl: string },
  { program }: { program: string },
): WholeEndpoint {
  if (id !== undefined) return { id, baseUrl, api, apiKey };
  const message = `${program} needs a model name for the endpoint ${baseUrl}. Pass --model NAME (in a request: model.id).`;
  throw new HalyardError("invalid_input", message);
}

/**
 * The key for endpoints that do not check keys, such as local models. Runtimes require a key even for these endpoints.
 */
export const NO_KEY = "none";

/** Returns the default API for a URL: `openai-chat` if the URL ends in `/v1`, otherwise `anthropic`. */
export function apiAt(baseUrl: string): ModelApi {
  return /\/v1\/?$/.test(baseUrl) ? "openai-chat" : "anthropic";
}

/** The vendor's URL for each API. */
export const vendorUrls = {
  anthropic: "https://api.anthropic.com",
  "openai-chat": "https://api.openai.com/v1",
  "openai-responses": "https://api.openai.com/v1",
} as const satisfies Record<ModelApi, string>;
