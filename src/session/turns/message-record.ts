import type { StoredEvent } from "../../contracts/store.ts";
import type { EventLog } from "../../log/event-log.ts";
import type { Redactor } from "../../log/redaction/redaction.ts";
import type { MessageEvent, SystemEvent } from "../../schema/event.ts";
import type { SteeredMessage } from "../recovery/restore.ts";
import type { OpenTurn } from "./open-turn.ts";

/** The text and the attachments of a message. */
export type MessageText = Pick<SteeredMessage, "text" | "attachments">;

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
    const { id: turnId, own } = turn;
    await this.#log.append(this.#events("turn_queued", turn, own), { turnId });
    turn.isOnRecord = true;
  }

  /** Records that the turn of a message starts. Waits for the store if the message is already recorded. */
  async started(turn: OpenTurn, turnCursor: number): Promise<void> {
    const { id: turnId, own, isOnRecord: waits } = turn;
    const events = [...this.#events("turn_started", turn, own), this.#userMessage(turn)];
    await this.#log.append(events, { turnId, turnCursor, waits });
    turn.isOnRecord = true;
  }

  /** Records that a turn continues after a pause: with `text`, or with the turn's message if `text` is undefined. */
  continued(turn: OpenTurn, text: string | undefined, turnCursor: number): Promise<void> {
    const message = text === undefined ? turn : { text, attachments: [] };
    const events = this.#events("turn_continued", message);
    return this.#log.append(events, { turnId: turn.id, turnCursor, waits: true });
  }

  /** Records that a message joins the running turn. */
  steered(turn: OpenTurn, message: SteeredMessage): Promise<void> {
    const { id } = message;
    const events = [...this.#events("turn_steered", message, { id }), this.#userMessage(message)];
    return this.#log.append(events, { turnId: turn.id });
  }

  /** Returns the user's text as a `message` event, for readers that process only messages. */
  #userMessage({ id: messageId, text, attachments }: SteeredMessage): MessageEvent {
    return this.#redactor.redact({
      type: "message",
      role: "user",
      channel: "text",
      messageId,
      text,
      ...(attachments.length > 0 && { attachments: [...attachments] }),
    });
  }

  #events(
    subtype: SystemEvent["subtype"],
    { text, attachments }: MessageText,
    own?: SystemEvent["data"],
  ): StoredEvent[] {
    const data = attachments.length > 0 ? { ...own, attachments } : own;
    return this.#redactor.redact([{ type: "system", subtype, text, ...(data && { data }) }]);
  }
}
