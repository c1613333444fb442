import { z } from "zod";
import { HalyardError } from "../core/error.ts";
import { ModelApi, ModelEndpoint } from "../schema/model.ts";
import { type JsonFile, readJsonFile } from "./json-file.ts";
import { configDirectory, type Environment, modelsFile } from "./paths.ts";

/** A model by a name of the user's own. */
export const NamedModel = z.strictObject({
  /** What the endpoint calls it. */
  model: z.string().min(1),
  displayName: z.string().optional(),
  baseUrl: ModelEndpoint.shape.baseUrl,
  api: ModelApi.optional(),
  /** Droid's word for the API, read where `api` is not given. */
  provider: z.string().optional(),
  /** The key itself, or `${NAME}` for the value of that environment variable. */
  apiKey: z.string().min(1).optional(),
  maxOutputTokens: z.number().int().positive().optional(),
});
export type NamedModel = z.infer<typeof NamedModel>;

/** `config/models.json`: models by name, and the one to use where nobody says. */
export const ModelsFile = z.strictObject({
  $schema: z.string().optional(),
  models: z.record(z.string(), NamedModel).default({}),
  defaults: z.looseObject({ session_model: z.string().min(1).optional() }).default({}),
});
export type ModelsFile = z.infer<typeof ModelsFile>;

export function readModels(
  env: Environment,
  cwd: string,
): Promise<JsonFile<ModelsFile> | undefined> {
  return readJsonFile(modelsFile(configDirectory(env, cwd)), ModelsFile);
}

/** A named model as the endpoint that serves it. Its key is looked up now, so that only a model in use needs one. */
export function toEndpoint(name: string, named: NamedModel, env: Environment): ModelEndpoint {
  const { model: id, baseUrl, provider, apiKey } = named;
  const api = named.api ?? (provider === undefined ? undefined : providerApis[provider]);
  return {
    id,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(api !== undefined && { api }),
    ...(apiKey !== undefined && { apiKey: lookUpKey(name, apiKey, env) }),
  };
}

const providerApis: Readonly<Record<string, ModelApi>> = {
  anthropic: "anthropic",
  openai: "openai-responses",
  "generic-chat-completion-api": "openai-chat",
};

function lookUpKey(name: string, apiKey: string, env: Environment): string {
  const variable = /^\$\{(\w+)\}$/.exec(apiKey)?.[1];
  if (variable === undefined) return apiKey;
  const value = env[variable];
  if (value) return value;
  throw new HalyardError(
    "invalid_config",
    `models.json: models.${name}.apiKey is the value of ${variable}, which is not set in the environment`,
  );
}
