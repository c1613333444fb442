import { createHash } from "node:crypto";
import { typeable } from "../../../../adapter-kit/typeable.ts";

/** Returns a hash that is equal for equal messages. Ignores whitespace and escape sequences, which Claude changes. */
export function fingerprint(text: string): string {
  return createHash("sha256").update(normalizeMessage(text)).digest("hex");
}

/** Removes the characters that a screen may show differently. */
export function normalizeMessage(text: string): string {
  return typeable(text)
    .normalize("NFC")
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, "");
}
