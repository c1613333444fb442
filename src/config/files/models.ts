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
  /** Accepted for compatibility and ignored: runtimes have their own limits. */
  maxOutputTokens: z.number().int().positive().optional(),
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
