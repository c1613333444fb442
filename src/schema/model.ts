import { z } from "zod";

/** The wire protocol of a model endpoint. */
export const ModelApi = z.enum(["anthropic", "openai-chat", "openai-responses"]);
export type ModelApi = z.infer<typeof ModelApi>;

/** A model and the endpoint that serves it. The runtime chooses the values that are not set. */
export const ModelEndpoint = z.strictObject({
  /** The name of the model. */
  id: z.string().min(1).optional(),
  /**
   * The base URL in the form that the vendor's SDK expects: with `/v1` at the end for the OpenAI APIs, without it for
   * Anthropic.
   */
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** The wire protocol of the endpoint. */
  api: ModelApi.optional(),
  /** The API key for the endpoint. */
  apiKey: z.string().min(1).optional(),
  /**
   * The directory whose `models.json` defines the endpoint. Keys are sent to the endpoint only while the directory is
   * trusted.
   */
  from: z.string().min(1).exactOptional(),
});
export type ModelEndpoint = z.infer<typeof ModelEndpoint>;

/** How much the model reasons before it answers. */
export const ReasoningLevel = z.enum(["off", "minimal", "low", "medium", "high", "max"]);
export type ReasoningLevel = z.infer<typeof ReasoningLevel>;
