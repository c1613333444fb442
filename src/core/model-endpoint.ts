import type { ModelApi, ModelEndpoint } from "../schema/model.ts";
import { HalyardError } from "./error.ts";

/** A model endpoint with nothing left open. */
export interface WholeEndpoint {
  readonly id: string;
  readonly baseUrl: string;
  readonly api: ModelApi;
  readonly apiKey: string;
}

/** Fills in what was left out, but for the model's name: that nobody can guess. */
export function wholeEndpoint(
  { id, baseUrl, api = apiAt(baseUrl), apiKey = NO_KEY }: ModelEndpoint & { baseUrl: string },
  { program }: { program: string },
): WholeEndpoint {
  if (id !== undefined) return { id, baseUrl, api, apiKey };
  const message = `${program} has to be told which model to use at ${baseUrl}`;
  throw new HalyardError("invalid_input", message);
}

/** Models on one's own machine ask for no key, but the programs that use them do. */
export const NO_KEY = "none";

/** By the rule of `ModelEndpoint`: the URLs of the OpenAI APIs end in `/v1`. */
function apiAt(baseUrl: string): ModelApi {
  return /\/v1\/?$/.test(baseUrl) ? "openai-chat" : "anthropic";
}

/** Where those who made it serve an API themselves. */
export const vendorUrls = {
  anthropic: "https://api.anthropic.com",
  "openai-chat": "https://api.openai.com/v1",
  "openai-responses": "https://api.openai.com/v1",
} as const satisfies Record<ModelApi, string>;
