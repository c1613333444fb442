import { z } from "zod";
import { TEXT_BYTES } from "./constants.ts";

const TOO_LARGE = `the text is larger than ${TEXT_BYTES / 1024 / 1024} MiB; write it to a file and name the file instead`;

/** A text that is not empty and has at most 8 MiB as UTF-8. */
export const LimitedText = z
  .string()
  .min(1)
  .max(TEXT_BYTES, { error: TOO_LARGE, abort: true }) // counts UTF-16 units, of which each has at least one byte
  .refine((text) => byteLength(text) <= TEXT_BYTES, TOO_LARGE);

/**
 * Returns the number of UTF-8 bytes of a text that could exceed the limit. Returns the length of a shorter text without
 * encoding it, because each UTF-16 unit has at most 3 bytes.
 */
function byteLength(text: string): number {
  return text.length * 3 <= TEXT_BYTES ? text.length : new TextEncoder().encode(text).length;
}
