import { createHash } from "node:crypto";
import { typeable } from "../../../core/typeable.ts";

/** The same for two texts that are the same message: Claude changes blanks, and escape sequences are not typed. */
export function fingerprint(text: string): string {
  return createHash("sha256").update(essence(text)).digest("hex");
}

/** A text without what a screen shows in other ways. */
export function essence(text: string): string {
  return typeable(text)
    .normalize("NFC")
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, "");
}
