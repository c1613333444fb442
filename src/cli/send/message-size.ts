import { HalyardError } from "../../errors/error.ts";
import { TEXT_BYTES } from "../../schema/constants.ts";

/** Throws if a message exceeds the size limit of the daemon. */
export function requireSendable(text: string): void {
  const bytes = Buffer.byteLength(JSON.stringify(text));
  if (bytes <= MAX_BYTES) return;
  throw new HalyardError(
    "too_large",
    `The message is ${formatMebibytes(bytes)} long and exceeds the limit of ${formatMebibytes(MAX_BYTES)}. Write it to a file and ask the agent to read the file.`,
  );
}

/** The size limit of a message in bytes. It leaves room for the other fields of the request. */
const MAX_BYTES = TEXT_BYTES - 4096;

function formatMebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
