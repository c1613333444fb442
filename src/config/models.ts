import { HalyardError } from "../core/error.ts";
import type { ModelApi, ModelEndpoint } from "../schema/model.ts";
import type { NamedModel } from "./files/models.ts";
import type { Environment } from "./paths.ts";
import { isOnThisMachine } from "./this-machine.ts";

/** Where a named model's key may come from. */
export interface KeySource {
  readonly env: Environment;
  /** The directory that the file came with, where the user does not trust it. */
  readonly untrusted?: string | undefined;
}

/** A named model as the endpoint that serves it. Its key is looked up now, so that only a model in use needs one. */
export function toEndpoint(name: string, named: NamedModel, keys: KeySource): ModelEndpoint {
  const { model: id, baseUrl, provider, apiKey } = named;
  const api = named.api ?? (provider === undefined ? undefined : providerApis[provider]);
  return {
    id,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(api !== undefined && { api }),
    ...(apiKey !== undefined && { apiKey: lookUpKey(name, named, apiKey, keys) }),
  };
}

const providerApis: Readonly<Record<string, ModelApi>> = {
  anthropic: "anthropic",
  openai: "openai-responses",
  "generic-chat-completion-api": "openai-chat",
};

function lookUpKey(
  name: string,
  { baseUrl }: NamedModel,
  apiKey: string,
  { env, untrusted }: KeySource,
): string {
  const variable = variableIn(apiKey);
  if (variable === undefined) return apiKey;
  const what = `models.json: models.${name}.apiKey is the value of ${variable}`;
  if (untrusted !== undefined && !isOnThisMachine(baseUrl)) {
    const advice = `If you know who wrote it: halyard trust ${untrusted}`;
    throw new HalyardError("invalid_config", `${what}, and ${untrusted} is not trusted. ${advice}`);
  }
  const value = env[variable];
  if (value) return value;
  throw new HalyardError("invalid_config", `${what}, which is not set in the environment`);
}

/** The environment variable that stands for a key. */
export function variableIn(apiKey: string): string | undefined {
  return /^\$\{(\w+)\}$/.exec(apiKey)?.[1];
}
