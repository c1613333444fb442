import { z } from "zod";
import { ModelApi, ModelEndpoint } from "../../schema/model.ts";

/** A model with a name that the user has chosen. */
export const NamedModel = z.strictObject({
  /** The model id at the endpoint. */
  model: z.string().min(1),
  /** The name to display. */
  displayName: z.string().optional(),
  baseUrl: ModelEndpoint.shape.baseUrl,
  /** The API of the endpoint. */
  api: ModelApi.optional(),
  /** The name that Droid uses for the API. Read if `api` is not set. */
  provider: z.string().optional(),
  /** The key itself, or `${NAME}` for the value of that environment variable. */
  apiKey: z.string().min(1).optional(),
  /** Passed to Droid. Other runtimes have their own limits. 0 means not set. */
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

/** `config/models.json` as it is written: the fields of a model may be in snake case, like those of the other files in `config`. */
export const WrittenModelsFile = z.preprocess(withCamelCase, ModelsFile);

const camelCase: Readonly<Record<string, string>> = {
  display_name: "displayName",
  base_url: "baseUrl",
  api_key: "apiKey",
  max_output_tokens: "maxOutputTokens",
};

const Fields = z.record(z.string(), z.unknown());
const Written = z.looseObject({ models: z.record(z.string(), Fields) });

/** Renames the fields of models. Returns any other value as it is, so that `ModelsFile` reports it. */
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
