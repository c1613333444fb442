import { z } from "zod";
import { ModelApi, ModelEndpoint } from "../../schema/model.ts";

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
