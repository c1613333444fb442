import type { StoredEvent } from "../../contracts/store.ts";
import type { EventLog } from "../../log/event-log.ts";
import type { Redactor } from "../../log/redaction/redaction.ts";
import type { MessageEvent, SystemEvent } from "../../schema/event.ts";
import type { TurnId } from "../../schema/id.ts";
import type { SteeredMessage } from "../recovery/restore.ts";
import type { OpenTurn } from "./open-turn.ts";

/** Writes the events of messages to the log. */
export class MessageRecord {
  readonly #log: EventLog;
  readonly #redactor: Redactor;

  constructor(log: EventLog, redactor: Redactor) {
    this.#log = log;
    this.#redactor = redactor;
  }

  /** Records that a message waits in the queue. */
  async queued(turn: OpenTurn): Promise<void> {
    const { id: turnId, text, own } = turn;
    await this.#log.append(this.#events("turn_queued", text, own), { turnId });
    turn.isOnRecord = true;
  }

  /** Records that the turn of a message starts. Waits for the store if the message is already recorded. */
  async started(turn: OpenTurn, turnCursor: number): Promise<void> {
    const { id: turnId, text, own, isOnRecord: waits } = turn;
    const events = [...this.#events("turn_started", text, own), this.#userMessage(turnId, text)];
    await this.#log.append(events, { turnId, turnCursor, waits });
    turn.isOnRecord = true;
  }

  /** Records that a message joins the turn that runs now. */
  steered(turn: OpenTurn, { id, text }: SteeredMessage): Promise<void> {
    const events = [...this.#events("turn_steered", text, { id }), this.#userMessage(id, text)];
    return this.#log.append(events, { turnId: turn.id });
  }

  /** Returns the user's text as a `message` event, for readers that only follow messages. */
  #userMessage(messageId: TurnId, text: string): MessageEvent {
    return this.#redactor.redact({
      type: "message",
      role: "user",
      channel: "text",
      messageId,
      text,
    });
  }

  #events(
    subtype: SystemEvent["subtype"],
    text: string,
    data?: SystemEvent["data"],
  ): StoredEvent[] {
    return this.#redactor.redact([{ type: "system", subtype, text, ...(data && { data }) }]);
  }
}
