import type { Delivery, Receipt } from "../schema/delivery.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { TurnId } from "../schema/id.ts";
import type { Outcome } from "../schema/outcome.ts";

/** Options of `Session.interrupt`. */
export interface InterruptOptions {
  /** The id of the turn to cancel. Defaults to the running turn. A malformed id rejects with `invalid_input`. */
  readonly turnId?: string | undefined;
  /** The reason, for the log. Defaults to `"interrupted"`. */
  readonly reason?: string | undefined;
}

/** Options of `Session.compact`. */
export type CompactOptions = Pick<SendOptions, "id" | "signal" | "timeoutMs">;

/** Options of `Session.send`. */
export interface SendOptions {
  /**
   * The id of the turn, for callers that retry: if the same id is sent twice, the runtime receives the message once. If
   * the message steers the running turn, this is the message id. Defaults to a new id.
   */
  readonly id?: string | undefined;
  /** How the message is delivered if another turn is running. Defaults to `"queue"`. */
  readonly delivery?: Delivery | undefined;
  /** Cancels the turn when aborted. Does not affect a message that steers the running turn. */
  readonly signal?: AbortSignal | undefined;
  /** The time limit of this turn in milliseconds. Defaults to `limits.turnMs` of the session. */
  readonly timeoutMs?: number | undefined;
  /**
   * The W3C trace context of the caller, as in the header `traceparent`. The turn's span links to it. Defaults to none.
   */
  readonly traceparent?: string | undefined;
}

/** A message and the events that it causes. Iterating over a turn yields its events. */
export interface Turn extends AsyncIterable<StreamEvent> {
  /**
   * The id of the turn.
   * @example await session.interrupt({ turnId: turn.id });
   */
  readonly id: TurnId;
  /**
   * Resolves when the message is queued, or when the runtime has received or rejected it. The promise never rejects.
   * @example const { status } = await turn.accepted;
   */
  readonly accepted: Promise<Receipt>;
  /**
   * Resolves when the turn has ended, after its completion is stored. Never rejects, even if the store fails.
   * @example const { status, text, usage } = await turn.outcome;
   */
  readonly outcome: Promise<Outcome>;
  /**
   * Cancels the turn and resolves when it has ended. Has no effect if the turn has already ended. Rejects with
   * `host_unavailable` if the runtime cannot respond now; the turn then continues.
   * @example await turn.cancel("too slow");
   */
  cancel(reason?: string): Promise<void>;
}
