import { z } from "zod";
import { HalyardError } from "../core/error.ts";
import { ModelApi, ModelEndpoint } from "../schema/model.ts";
import type { Environment } from "./paths.ts";
import { isOnThisMachine } from "./this-machine.ts";

/** A model by a name of the user's own. */
export const NamedModel = z.strictObject({
  /** What the endpoint calls it. */
  model: z.string().min(1),
  /** What people call it. */
  displayName: z.string().optional(),
  baseUrl: ModelEndpoint.shape.baseUrl,
  /** What the endpoint speaks. */
  api: ModelApi.optional(),
  /** Droid's word for the API, read where `api` is not given. */
  provider: z.string().optional(),
  /** The key itself, or `${NAME}` for the value of that environment variable. */
  apiKey: z.string().min(1).optional(),
  /** Read for the sake of those who write it; runtimes go by their own limits. */
  maxOutputTokens: z.number().int().positive().optional(),
});
export type NamedModel = z.infer<typeof NamedModel>;

/** `config/models.json`: models by name, and the one to use where nobody says. */
export const ModelsFile = z.strictObject({
  $schema: z.string().optional(),
  models: z.record(z.string(), NamedModel).default({}),
  defaults: z
    .looseObject({
      /** The model for sessions that name none: one of the names above, or a model's own. */
      session_model: z.string().min(1).optional(),
    })
    .default({}),
});
export type ModelsFile = z.infer<typeof ModelsFile>;

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
