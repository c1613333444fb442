import type { MessageEvent, SystemEvent } from "../schema/event.ts";
import type { TurnId } from "../schema/id.ts";
import type { EventLog } from "./event-log.ts";
import type { OpenTurn } from "./open-turn.ts";
import type { Redactor } from "./redaction.ts";
import type { SteeredWords } from "./restore.ts";
import type { StoredEvent } from "./store.ts";

/** What the log says of messages on their way to the runtime. */
export class MessageRecord {
  readonly #log: EventLog;
  readonly #redactor: Redactor;

  constructor(log: EventLog, redactor: Redactor) {
    this.#log = log;
    this.#redactor = redactor;
  }

  /** It has to wait for its turn. */
  async queued(turn: OpenTurn): Promise<void> {
    const { id: turnId, text, own } = turn;
    await this.#log.append(this.#tell("turn_queued", text, own), { turnId });
    turn.isOnRecord = true;
  }

  /** It is its turn. One that is on record already may wait for the store. */
  async started(turn: OpenTurn, turnCursor: number): Promise<void> {
    const { id: turnId, text, own, isOnRecord: waits } = turn;
    const events = [...this.#tell("turn_started", text, own), this.#userMessage(turnId, text)];
    await this.#log.append(events, { turnId, turnCursor, waits });
    turn.isOnRecord = true;
  }

  /** It goes into a turn under way. */
  steered(turn: OpenTurn, { id, text }: SteeredWords): Promise<void> {
    const events = [...this.#tell("turn_steered", text, { id }), this.#userMessage(id, text)];
    return this.#log.append(events, { turnId: turn.id });
  }

  /** The user's text in the form of every other text, for readers that only follow messages. */
  #userMessage(messageId: TurnId, text: string): MessageEvent {
    return this.#redactor.redact({
      type: "message",
      role: "user",
      channel: "text",
      messageId,
      text,
    });
  }

  #tell(subtype: SystemEvent["subtype"], text: string, data?: SystemEvent["data"]): StoredEvent[] {
    return this.#redactor.redact([{ type: "system", subtype, text, ...(data && { data }) }]);
  }
}
