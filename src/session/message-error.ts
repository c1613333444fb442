import type { SendOptions } from "../contracts/halyard.ts";
import { HalyardError } from "../errors/error.ts";
import { Delivery } from "../schema/delivery.ts";
import type { SessionId } from "../schema/id.ts";
import { Milliseconds } from "../schema/start-request.ts";

/** The options of a message, with their defaults. */
export interface MessageOptions {
  readonly delivery: NonNullable<SendOptions["delivery"]>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Returns the error if a message cannot be sent. All values are checked because callers may not use TypeScript. */
export function messageError(text: unknown, options: MessageOptions): HalyardError | undefined {
  if (options.signal?.aborted)
    return new HalyardError("cancelled", "The message was cancelled before it was sent.");
  const problem = messageProblem(text, options);
  return problem === undefined ? undefined : new HalyardError("invalid_input", problem);
}

function messageProblem(
  text: unknown,
  { delivery, timeoutMs }: MessageOptions,
): string | undefined {
  if (typeof text !== "string") return "The message is not a string.";
  if (text.trim() === "") return "The message is empty.";
  if (!Delivery.safeParse(delivery).success)
    return `delivery: ${delivery} is not one of ${Delivery.options.join(", ")}`;
  if (!Milliseconds.safeParse(timeoutMs).success)
    return `timeoutMs: ${timeoutMs} is not valid; the largest value is 24 days, and 0 means no limit`;
  return undefined;
}

/** Returns the error for an operation that is not possible while a turn runs. */
export function busyError(id: SessionId): HalyardError {
  const message = `A turn runs in ${id}. Wait until it ends, or interrupt it, and try again.`;
  return new HalyardError("workspace_failed", message);
}
