import { z } from "zod";
import { ModelApi, ModelEndpoint } from "../../schema/model.ts";

/** A model under a name that the user has chosen. */
export const NamedModel = z.strictObject({
  /** The model id at the endpoint. */
  model: z.string().min(1),
  /** The display name. */
  displayName: z.string().optional(),
  baseUrl: ModelEndpoint.shape.baseUrl,
  /** The API of the endpoint. */
  api: ModelApi.optional(),
  /** Droid's name for the API. Used if `api` is not set. */
  provider: z.string().optional(),
  /** The key itself, or `${NAME}` to read an environment variable. */
  apiKey: z.string().min(1).optional(),
  /** The maximum number of output tokens. Only Droid uses it. 0 means not set. */
  maxOutputTokens: z.number().int().nonnegative().optional(),
});
export type NamedModel = z.infer<typeof NamedModel>;

/** `config/models.json`: models by name, and the default model. */
export const ModelsFile = z.strictObject({
  $schema: z.string().optional(),
  models: z.record(z.string(), NamedModel).default({}),
  defaults: z
    .looseObject({
      /** The default model: a name in `models`, or a model id. */
      session_model: z.string().min(1).optional(),
    })
    .default({}),
});
export type ModelsFile = z.infer<typeof ModelsFile>;

/** `config/models.json` as users write it: model fields may be in snake case, as in the other files in `config`. */
export const WrittenModelsFile = z.preprocess(withCamelCase, ModelsFile);

const camelCase: Readonly<Record<string, string>> = {
  display_name: "displayName",
  base_url: "baseUrl",
  api_key: "apiKey",
  max_output_tokens: "maxOutputTokens",
};

const Fields = z.record(z.string(), z.unknown());
const Written = z.looseObject({ models: z.record(z.string(), Fields) });

/** Renames the fields of models. Returns any other value unchanged, so that `ModelsFile` reports the error. */
function withCamelCase(value: unknown): unknown {
  const { data } = Written.safeParse(value);
  if (data === undefined) return value;
  const models = Object.entries(data.models).map(([name, model]) => [
    name,
    Object.fromEntries(
      Object.entries(model).map(([field, content]) => [camelCase[field] ?? field, content]),
    ),
  ]);
  return { ...data, models: Object.fromEntries(models) };
}
