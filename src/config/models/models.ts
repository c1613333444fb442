import { HalyardError } from "../../errors/error.ts";
import type { ModelApi, ModelEndpoint } from "../../schema/model.ts";
import type { NamedModel } from "../files/models.ts";
import type { Environment } from "../paths.ts";

/** The environment that provides a named model's key, and the directory of the model's file. */
export interface KeySource {
  readonly env: Environment;
  /** The directory of `models.json`, which is recorded with the endpoint. */
  readonly from?: string | undefined;
}

/** Converts a named model to an endpoint with its key. Throws `invalid_config` if the key names a variable that is not set. */
export function toEndpoint(name: string, named: NamedModel, keys: KeySource): ModelEndpoint {
  const { model: id, baseUrl, provider, apiKey } = named;
  const api = named.api ?? (provider === undefined ? undefined : providerApis[provider]);
  return {
    id,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(baseUrl !== undefined && keys.from !== undefined && { from: keys.from }),
    ...(api !== undefined && { api }),
    ...(apiKey !== undefined && { apiKey: lookUpKey(name, apiKey, keys) }),
  };
}

const providerApis: Readonly<Record<string, ModelApi>> = {
  anthropic: "anthropic",
  openai: "openai-responses",
  "generic-chat-completion-api": "openai-chat",
};

function lookUpKey(name: string, apiKey: string, { env }: KeySource): string {
  const variable = variableIn(apiKey);
  if (variable === undefined) return apiKey;
  const value = env[variable];
  if (value) return value;
  throw new HalyardError(
    "invalid_config",
    `models.json: models.${name}.apiKey names the variable ${variable}, which is not set. Set it, or remove the model.`,
  );
}

/** Returns the name of the environment variable in `${NAME}`, or undefined if the text is the key itself. */
export function variableIn(apiKey: string): string | undefined {
  return /^\$\{(\w+)\}$/.exec(apiKey)?.[1];
}
