import { createDeferred } from "../core/deferred.ts";
import { HalyardError } from "../core/error.ts";
import type { FollowOptions, Turn } from "../core/halyard.ts";
import { refusedTurn } from "../core/refused-turn.ts";
import { receiptOf } from "../core/turn-results.ts";
import type { Receipt } from "../schema/delivery.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SentTurn } from "../schema/http.ts";
import type { TurnId } from "../schema/id.ts";
import type { Outcome } from "../schema/outcome.ts";

/** What a turn needs of its session. */
export interface TurnSession {
  events(options: Required<FollowOptions>): AsyncIterable<StreamEvent>;
  interrupt(options: { turnId: TurnId; reason: string }): Promise<void>;
}

/** A turn that somebody else runs: its receipt comes with the answer, its outcome with the events. */
export class RemoteTurn implements Turn {
  readonly id: TurnId;
  readonly #session: TurnSession;
  readonly #after: number;
  readonly #accepted = createDeferred<Receipt>();
  readonly #outcome = createDeferred<Outcome>();
  readonly #arrived = createDeferred<void>();
  /** Given when nothing more will be heard of it. */
  readonly #lost = new AbortController();
  /** Given when no event may be to come: the answer has told of its end. */
  readonly #told = new AbortController();
  #hasArrived = false;
  #isOver = false;

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

  /** The server has it: what comes of it is in the events. */
  get hasArrived(): boolean {
    return this.#hasArrived;
  }

  /** Resolves once the server has it, or has refused it. */
  get arrived(): Promise<void> {
    return this.#arrived.promise;
  }

  /** The server has answered. */
  onSent({ receipt, outcome }: SentTurn): void {
    this.#arrive();
    this.#accepted.resolve(receipt);
    if (!outcome) return;
    this.#settle(outcome);
    if (receipt.status === "failed") this.#told.abort(); // nothing of it may be on record
  }

  /** The server tells of it in its events. */
  onEvent(event: StreamEvent): void {
    this.#arrive();
    if (event.type === "completion") this.#settle(event.outcome);
  }

  /** It never was, or nothing more will be heard of it. */
  async fail(error: HalyardError): Promise<void> {
    const { accepted, outcome } = refusedTurn(error);
    this.#arrived.resolve();
    this.#isOver = true;
    this.#lost.abort();
    this.#accepted.resolve(await accepted);
    this.#outcome.resolve(await outcome);
  }

  async cancel(reason = "cancelled"): Promise<void> {
    await this.#arrived.promise;
    if (this.#isOver) return;
    await this.#session.interrupt({ turnId: this.id, reason });
    await this.#outcome.promise;
  }

  /** As they come; once the answer has told of its end, those that there are. */
  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent> {
    const lost = this.#lost.signal;
    const live = { follow: true, signal: AbortSignal.any([lost, this.#told.signal]) };
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

  #settle(outcome: Outcome): void {
    this.#isOver = true;
    this.#accepted.resolve(receiptOf(outcome));
    this.#outcome.resolve(outcome);
  }
}

export function lostTurn(cause: unknown): HalyardError {
  if (cause instanceof HalyardError) return cause;
  return new HalyardError("unreachable", "the connection was closed; the turn goes on without it", {
    cause,
  });
}
