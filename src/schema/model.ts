import { z } from "zod";

/** The wire protocol a model endpoint speaks. */
export const ModelApi = z.enum(["anthropic", "openai-chat", "openai-responses"]);
export type ModelApi = z.infer<typeof ModelApi>;

/** Which model, and where it lives; what is left out is the runtime's own choice. */
export const ModelEndpoint = z.strictObject({
  id: z.string().min(1).optional(),
  /** What that vendor's own SDK would take: ending in `/v1` for the two OpenAI APIs, without it for Anthropic. */
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  api: ModelApi.optional(),
  apiKey: z.string().min(1).optional(),
  /** The directory whose `models.json` named the endpoint. A key goes there again only while the directory is trusted. */
  from: z.string().min(1).exactOptional(),
});
export type ModelEndpoint = z.infer<typeof ModelEndpoint>;

/** How hard the model should think. */
export const ReasoningLevel = z.enum(["off", "minimal", "low", "medium", "high", "max"]);
export type ReasoningLevel = z.infer<typeof ReasoningLevel>;
