import type { SendOptions } from "../contracts/turn.ts";
import { HalyardError } from "../errors/error.ts";
import { Delivery } from "../schema/delivery.ts";
import type { SessionId } from "../schema/id.ts";
import { Milliseconds } from "../schema/session/start-request.ts";
import { TraceParent } from "../schema/trace-parent.ts";

/** The options of a message, after the defaults are applied. */
export interface MessageOptions {
  readonly delivery: NonNullable<SendOptions["delivery"]>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly traceparent: string | undefined;
}

/**
 * Returns the error for a message that is cancelled already, or whose text or options are not valid. Returns undefined if
 * the message can be sent. All values are checked, because callers may not use TypeScript.
 */
export function messageError(text: unknown, options: MessageOptions): HalyardError | undefined {
  if (options.signal?.aborted)
    return new HalyardError("cancelled", "The message was cancelled before it was sent.");
  const problem = messageProblem(text, options);
  return problem === undefined ? undefined : new HalyardError("invalid_input", problem);
}

function messageProblem(
  text: unknown,
  { delivery, timeoutMs, traceparent }: MessageOptions,
): string | undefined {
  if (typeof text !== "string")
    return 'The message is not a string. Pass a string, or an object with the field "text".';
  if (text.trim() === "") return "The message is empty. Pass some text.";
  if (!Delivery.safeParse(delivery).success)
    return `delivery: ${delivery} is not one of ${Delivery.options.join(", ")}.`;
  if (!Milliseconds.safeParse(timeoutMs).success)
    return `timeoutMs: ${timeoutMs} is not valid. Pass milliseconds, at most 2147483647 (24 days). 0 means no limit.`;
  if (!TraceParent.optional().safeParse(traceparent).success)
    return `traceparent: ${traceparent} is not a W3C trace context, such as 00-<32 hex digits>-<16 hex digits>-01.`;
  return undefined;
}

/** Returns the error for a fork or a rewind that is requested while a turn, a fork or a rewind is in progress. */
export function busyError(id: SessionId): HalyardError {
  const message = `Session ${id} is running a turn, a fork or a rewind. Run "halyard wait ${id}" or "halyard interrupt ${id}" first.`;
  return new HalyardError("workspace_failed", message);
}

/** Returns the error for a rewind of a session that does not record checkpoints. */
export function noCheckpointsError(id: SessionId): HalyardError {
  const message = `Session ${id} does not record checkpoints, so its files cannot be restored. To record checkpoints, start a session without "--no-checkpoints".`;
  return new HalyardError("unsupported", message);
}

/** Returns the error for a message that was not delivered before the session was detached. */
export function undeliveredError(): HalyardError {
  const message =
    "The session was detached before the message was delivered. Resume the session, and send the message again.";
  return new HalyardError("session_stopped", message);
}

/** Returns the error for a schema in a message that joins the running turn. */
export function steeredSchemaError(): HalyardError {
  const message =
    "schema: a message that joins a running turn cannot have a schema. Send it as a separate turn.";
  return new HalyardError("invalid_input", message);
}
