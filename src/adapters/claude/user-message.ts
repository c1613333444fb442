import type { ImageContent, TurnInput } from "../../contracts/adapter.ts";

/** Returns a user message's content in the Messages API format: a text, or blocks if the message has images. */
export function userContent({ text, images = [] }: Pick<TurnInput, "text" | "images">) {
  if (images.length === 0) return text;
  return [...images.map(toBlock), { type: "text" as const, text }];
}

function toBlock({ mediaType: media_type, data }: ImageContent) {
  return { type: "image" as const, source: { type: "base64" as const, media_type, data } };
}
