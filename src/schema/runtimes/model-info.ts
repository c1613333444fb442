import { z } from "zod";

/** A model that a runtime offers. */
export const ModelInfo = z.strictObject({
  /** The model name to pass in `StartRequest.model`. */
  id: z.string(),
  /** The display name, if it differs from the id. */
  name: z.string().optional(),
  /** True for the model that the runtime uses if a session does not name a model. */
  isDefault: z.literal(true).optional(),
  /** The size of the context in tokens, if the runtime reports it. */
  contextTokens: z.number().int().positive().optional(),
});
export type ModelInfo = z.infer<typeof ModelInfo>;
