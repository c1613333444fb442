import { anySignal } from "../async/any-signal.ts";
import { createDeferred } from "../async/deferred.ts";
import type { FollowOptions } from "../contracts/read-log.ts";
import type { Turn } from "../contracts/turn.ts";
import { HalyardError } from "../errors/error.ts";
import { refusedTurn } from "../halyard/refused-turn.ts";
import { receiptOf } from "../halyard/turn-results.ts";
import type { Receipt } from "../schema/delivery.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SentTurn } from "../schema/http/http.ts";
import type { TurnId } from "../schema/id.ts";
import type { Outcome } from "../schema/outcome.ts";

/** The methods of a session that a turn uses. */
export interface TurnSession {
  events(options: Required<FollowOptions>): AsyncIterable<StreamEvent>;
  interrupt(options: { turnId: TurnId; reason: string }): Promise<void>;
}

/** A turn that a server runs. The outcome comes from the event stream, or from a response that already contains it. */
export class RemoteTurn implements Turn {
  readonly id: TurnId;
  readonly #session: TurnSession;
  readonly #after: number;
  readonly #accepted = createDeferred<Receipt>();
  readonly #outcome = createDeferred<Outcome>();
  readonly #arrived = createDeferred<void>();
  /** Aborted when no more events of the turn can be received. */
  readonly #lost = new AbortController();
  /** Aborted when the response has an outcome and a failed receipt, because the log may then contain no event of the turn. */
  readonly #endReported = new AbortController();
  #hasArrived = false;
  #isOver = false;
  /** The outcome that the server reported. */
  #ended: Outcome | undefined;

  constructor(session: TurnSession, id: TurnId, after: number) {
    this.#session = session;
    this.id = id;
    this.#after = after;
  }

  get accepted(): Promise<Receipt> {
    return this.#accepted.promise;
  }

  get outcome(): Promise<Outcome> {
    return this.#outcome.promise;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** True if the server has received the message. */
  get hasArrived(): boolean {
    return this.#hasArrived;
  }

  /** Resolves when the server has accepted or rejected the message, or when the message could not be sent. */
  get arrived(): Promise<void> {
    return this.#arrived.promise;
  }

  /** Applies the server's response. */
  onSent({ receipt, outcome }: SentTurn): void {
    this.#arrive();
    this.#accepted.resolve(receipt);
    if (!outcome) return;
    this.#end(outcome);
    if (receipt.status === "failed") this.#endReported.abort();
  }

  /** Applies an event of the turn. */
  onEvent(event: StreamEvent): void {
    this.#arrive();
    if (event.type === "completion") this.#end(event.outcome);
  }

  /** Ends the turn with an error: its message was rejected or not sent, or its events can no longer be received. */
  async fail(error: HalyardError): Promise<void> {
    const { accepted, outcome } = refusedTurn(error);
    this.#arrived.resolve();
    this.#isOver = true;
    this.#lost.abort();
    this.#outcome.resolve(await outcome); // has no effect if the log has already reported the end
    const receipt = this.#ended ? receiptOf(this.#ended) : await accepted;
    this.#accepted.resolve(receipt);
  }

  async cancel(reason = "cancelled"): Promise<void> {
    await this.#arrived.promise;
    if (this.#isOver) return;
    await this.#session.interrupt({ turnId: this.id, reason });
    await this.#outcome.promise;
  }

  /** Follows the events of the turn. If the receipt is failed, yields only the events that the log already contains. */
  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent> {
    const lost = this.#lost.signal;
    const live = { follow: true, signal: anySignal([lost, this.#endReported.signal]) };
    const rest = { follow: false, signal: lost };
    let after = this.#after;
    for (const options of [live, rest]) {
      for await (const event of this.#session.events({ ...options, after })) {
        after = event.seq;
        if (event.turnId !== this.id) continue;
        yield event;
        if (event.type === "completion") return;
      }
    }
  }

  #arrive(): void {
    this.#hasArrived = true;
    this.#arrived.resolve();
  }

  /**
   * Resolves the outcome and, for a completed turn, the receipt. For other turns, the response contains the receipt,
   * because the message of a failed turn may have been delivered.
   */
  #end(outcome: Outcome): void {
    this.#isOver = true;
    this.#ended = outcome;
    if (outcome.status === "completed") this.#accepted.resolve(receiptOf(outcome));
    this.#outcome.resolve(outcome);
  }
}

export function lostTurn(cause: unknown): HalyardError {
  if (cause instanceof HalyardError) return cause;
  return new HalyardError(
    "unreachable",
    "The connection was closed. The turn may still be running on the server. Connect again to read the session's events.",
    {
      cause,
    },
  );
}
