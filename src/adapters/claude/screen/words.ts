import { createHash } from "node:crypto";

/** Tells whether two texts are the same message: blanks and control characters are tidied on the way to Claude. */
export function fingerprint(text: string): string {
  return createHash("sha256").update(essence(text)).digest("hex");
}

/** A text without what a screen shows in other ways. */
export function essence(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, "");
}
