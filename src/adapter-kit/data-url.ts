import type { ImageContent } from "../contracts/adapter.ts";

/** Returns an image as a `data:` URL. */
export function dataUrl({ mediaType, data }: Pick<ImageContent, "mediaType" | "data">): string {
  return `data:${mediaType};base64,${data}`;
}
