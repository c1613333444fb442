import type { Receipt } from "../schema/delivery.ts";
import type { Connection } from "./adapter.ts";
import { HalyardError, toErrorInfo } from "./error.ts";
import type { KnownMessages } from "./known-messages.ts";
import type { MessageRecord } from "./message-record.ts";
import type { OpenTurn } from "./open-turn.ts";
import type { RestoredWords, SteeredWords } from "./restore.ts";

/** Words for turns under way: each is given to the runtime once. */
export class Steering {
  readonly #connection: Connection;
  readonly #record: MessageRecord;
  readonly #known: KnownMessages;

  constructor(connection: Connection, record: MessageRecord, known: KnownMessages) {
    this.#connection = connection;
    this.#record = record;
    this.#known = known;
  }

  steer(turn: OpenTurn, words: SteeredWords): Promise<Receipt> {
    const accepted = turn.accepted.promise.then(() => this.#steer(turn, words));
    this.#known.add(words.id, { turn, accepted });
    return accepted;
  }

  /** Takes up what an earlier process had on record, and so had given to the runtime. */
  takeUp(steered: readonly RestoredWords[]): void {
    for (const { turn, id } of steered) {
      this.#known.add(id, { turn, accepted: turn.accepted.promise });
    }
  }

  async #steer(turn: OpenTurn, words: SteeredWords): Promise<Receipt> {
    try {
      await this.#record.steered(turn, words);
    } catch (error) {
      this.#known.forget(words.id);
      return notDelivered(error);
    }
    try {
      if (turn.stage === "closed") throw tooLate();
      return await this.#connection.steer({ turnId: turn.id, text: words.text });
    } catch (error) {
      return notDelivered(error);
    }
  }
}

function tooLate(): HalyardError {
  return new HalyardError("delivery_failed", "the turn ended before the words were given to it");
}

function notDelivered(error: unknown): Receipt {
  return { status: "failed", error: toErrorInfo(error, "delivery_failed") };
}
