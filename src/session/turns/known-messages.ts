import { HalyardError } from "../../errors/error.ts";
import type { EventLog } from "../../log/event-log.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { TurnId } from "../../schema/id.ts";
import { OpenTurn, type OpenTurnOptions } from "./open-turn.ts";

/** A message that was sent, and the turn that it started or joined. */
export interface KnownMessage {
  readonly turn: OpenTurn;
  readonly accepted: Promise<Receipt>;
}

/** The data of a message that stays in memory after its turn has ended. The rest is read from the log on demand. */
interface PastMessage {
  readonly turnId: TurnId;
  readonly after: number;
}

/** The dependencies of `KnownMessages`. */
export interface KnownMessagesParts extends Pick<OpenTurnOptions, "clock" | "redactor"> {
  readonly log: Pick<EventLog, "follow">;
}

/** The messages of a session by id. If a caller sends an id again, the runtime does not receive the message twice. */
export class KnownMessages {
  readonly #parts: KnownMessagesParts;
  readonly #messages = new Map<TurnId, KnownMessage>();
  readonly #past = new Map<TurnId, PastMessage>();

  constructor(parts: KnownMessagesParts) {
    this.#parts = parts;
  }

  find(id: TurnId): KnownMessage | undefined {
    const past = this.#past.get(id);
    return this.#messages.get(id) ?? (past && recall(past, this.#parts));
  }

  add(id: TurnId, message: KnownMessage): void {
    this.#messages.set(id, message);
    for (const [oldest, { turn }] of this.#messages) {
      if (this.#messages.size <= COMPLETE_MESSAGES) return;
      if (turn.stage !== "closed") continue;
      this.#messages.delete(oldest);
      this.#past.set(oldest, { turnId: turn.id, after: turn.after });
    }
  }

  /** Removes a message, so that it can be sent again. */
  forget(id: TurnId): void {
    this.#messages.delete(id);
  }
}

/**
 * The number of messages that stay in memory in full. If there are more, the oldest messages of ended turns are reduced
 * to a `PastMessage`.
 */
const COMPLETE_MESSAGES = 256;

/** Returns the turn of a past message, with the outcome from the log. */
function recall({ turnId, after }: PastMessage, parts: KnownMessagesParts): KnownMessage {
  const turn = new OpenTurn(turnId, "", { ...parts, timeoutMs: 0, after });
  turn.stage = "closed";
  turn.accepted.resolve({ status: "submitted" });
  void readOutcome(turn, parts).catch((cause: unknown) => turn.settle(cause));
  return { turn, accepted: turn.accepted.promise };
}

async function readOutcome(turn: OpenTurn, { log }: KnownMessagesParts): Promise<void> {
  for await (const event of log.follow({ after: turn.after, follow: false })) {
    if (event.type !== "completion" || event.turnId !== turn.id) continue;
    turn.outcome.resolve(event.outcome);
    return;
  }
  const message = `The log contains no end of the turn ${turn.id}. Send the message again without its id.`;
  turn.settle(new HalyardError("session_stopped", message));
}
