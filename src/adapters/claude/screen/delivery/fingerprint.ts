import { createHash } from "node:crypto";
import { typeable } from "../../../../adapter-kit/typeable.ts";

/** Returns a hash of a message without its whitespace, control characters and escape sequences, which Claude may change. */
export function fingerprint(text: string): string {
  return createHash("sha256").update(normalizeMessage(text)).digest("hex");
}

/** Removes the characters that a screen may show differently. */
export function normalizeMessage(text: string): string {
  return typeable(text)
    .normalize("NFC")
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, "");
}
