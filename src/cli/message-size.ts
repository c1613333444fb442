import { HalyardError } from "../core/error.ts";

/** Refuses a message that the daemon would not take, before anything is done for it. */
export function requireSendable(text: string): void {
  const bytes = Buffer.byteLength(JSON.stringify(text));
  if (bytes <= LARGEST_BYTES) return;
  throw new HalyardError(
    "too_large",
    `the message has ${inMegabytes(bytes)} and may have ${inMegabytes(LARGEST_BYTES)} at most; put it into a file, and tell the agent to read that`,
  );
}

/** A request to the daemon may have 8 MiB, with all that goes with the message. */
const LARGEST_BYTES = 8 * 1024 * 1024 - 4096;

function inMegabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
