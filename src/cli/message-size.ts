import { HalyardError } from "../core/error.ts";
import { BODY_BYTES } from "../schema/body-limit.ts";

/** Refuses a message that the daemon would not take, before anything is done for it. */
export function requireSendable(text: string): void {
  const bytes = Buffer.byteLength(JSON.stringify(text));
  if (bytes <= LARGEST_BYTES) return;
  throw new HalyardError(
    "too_large",
    `the message has ${inMegabytes(bytes)} and may have ${inMegabytes(LARGEST_BYTES)} at most; put it into a file, and tell the agent to read that`,
  );
}

/** A request to the daemon has room for all that goes with the message. */
const LARGEST_BYTES = BODY_BYTES - 4096;

function inMegabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
