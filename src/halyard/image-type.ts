import type { ImageType } from "../schema/attachment.ts";

/**
 * Detects the type of an image from its first bytes, because file names can be wrong and model APIs reject a wrong type.
 * Returns undefined if the content is not a PNG, JPEG, GIF or WebP image.
 */
export function imageTypeOf(content: Buffer): ImageType | undefined {
  const head = content.subarray(0, 12).toString("latin1");
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(head)) return "image/gif";
  return /^RIFF.{4}WEBP$/s.test(head) ? "image/webp" : undefined;
}
