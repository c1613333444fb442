import type { Receipt } from "../schema/delivery.ts";
import type { TurnId } from "../schema/id.ts";
import type { OpenTurn } from "./open-turn.ts";

/** A message that was sent, with the turn it opened or went into. */
export interface KnownMessage {
  readonly turn: OpenTurn;
  readonly accepted: Promise<Receipt>;
}

/** Messages by their ids, for whoever did not hear of the first time and sends one again. */
export class KnownMessages {
  readonly #messages = new Map<TurnId, KnownMessage>();

  find(id: TurnId): KnownMessage | undefined {
    return this.#messages.get(id);
  }

  add(id: TurnId, message: KnownMessage): void {
    this.#messages.set(id, message);
    for (const [oldest, { turn }] of this.#messages) {
      if (this.#messages.size <= KNOWN_MESSAGES) return;
      if (turn.stage === "closed") this.#messages.delete(oldest);
    }
  }

  /** It may be sent as if for the first time. */
  forget(id: TurnId): void {
    this.#messages.delete(id);
  }
}

/** Those of turns that have ended, the rest of which only the log has; all of those that are open. */
const KNOWN_MESSAGES = 256;
