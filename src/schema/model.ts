import { z } from "zod";

/** The wire protocol a model endpoint speaks. */
export const ModelApi = z.enum(["anthropic", "openai-chat", "openai-responses"]);
export type ModelApi = z.infer<typeof ModelApi>;

/** A model and the endpoint that serves it. The runtime chooses the values that are absent. */
export const ModelEndpoint = z.strictObject({
  /** The name of the model. */
  id: z.string().min(1).optional(),
  /** The base URL as the vendor's SDK takes it: with `/v1` at its end for the two OpenAI APIs, without it for Anthropic. */
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** The wire protocol of the endpoint. */
  api: ModelApi.optional(),
  /** The key of the endpoint. */
  apiKey: z.string().min(1).optional(),
  /** The directory whose `models.json` named the endpoint. A key goes there again only while the directory is trusted. */
  from: z.string().min(1).exactOptional(),
});
export type ModelEndpoint = z.infer<typeof ModelEndpoint>;

/** How hard the model should think. */
export const ReasoningLevel = z.enum(["off", "minimal", "low", "medium", "high", "max"]);
export type ReasoningLevel = z.infer<typeof ReasoningLevel>;
