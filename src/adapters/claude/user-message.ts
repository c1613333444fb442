import type { ImageContent, TurnInput } from "../../contracts/adapter.ts";

/** Returns the content of a user message in the format of the Messages API: a text, or blocks if it has images. */
export function userContent({ text, images = [] }: Pick<TurnInput, "text" | "images">) {
  if (images.length === 0) return text;
  return [...images.map(toBlock), { type: "text" as const, text }];
}

function toBlock({ mediaType: media_type, data }: ImageContent) {
  return { type: "image" as const, source: { type: "base64" as const, media_type, data } };
}
