import { HalyardError } from "../../errors/error.ts";
import { TEXT_BYTES } from "../../schema/constants.ts";

/** Throws if a message exceeds the size limit, as text or as JSON. */
export function requireSendable(text: string): void {
  requireSendableBytes(Buffer.byteLength(text)); // a much longer text could not be converted to JSON
  requireSendableBytes(Buffer.byteLength(JSON.stringify(text)));
}

/** Throws if a message with this number of bytes exceeds the size limit. */
export function requireSendableBytes(bytes: number): void {
  if (bytes <= MAX_BYTES) return;
  throw new HalyardError(
    "too_large",
    `The message exceeds the limit of ${TEXT_BYTES / 1024 / 1024} MiB. Write it to a file and ask the agent to read the file.`,
  );
}

/** The size limit of a message in bytes. It leaves room for the other fields of the request. */
const MAX_BYTES = TEXT_BYTES - 4096;
