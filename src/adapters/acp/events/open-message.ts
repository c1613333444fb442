import type { EventDraft } from "../../../contracts/event-draft.ts";
import type { Channel } from "../../../schema/event.ts";
import { GrowingText } from "../../../wire/growing-text.ts";
import type { ContentBlock } from "../messages.ts";

interface OpenMessage {
  readonly channel: Channel;
  /** The agent's own id of the message, if the agent sends one. */
  readonly nativeId: string | undefined;
  readonly messageId: string;
  readonly text: GrowingText;
}

/**
 * Maps the messages of one turn. One message is open at a time; it is complete when another message or tool call
 * begins.
 */
export class TurnMessages {
  readonly #turn: string;
  readonly #used = new Set<string>();
  #open: OpenMessage | undefined;
  #count = 0;

  constructor(turn: string) {
    this.#turn = turn;
  }

  delta(channel: Channel, nativeId: string | undefined, text: string): EventDraft[] {
    if (text === "") return [];
    const before = this.#isOpen(channel, nativeId) ? [] : this.close();
    const message = this.#open ?? this.#begin(channel, nativeId);
    message.text.add(text);
    return [...before, { type: "delta", channel, messageId: message.messageId, text }];
  }

  /**
   * Replaces the message text. Emits only the added text. If the new text does not start with the old text, emits a retry
   * and a new message.
   */
  replace(channel: Channel, nativeId: string | undefined, text: string): EventDraft[] {
    const emitted = this.#isOpen(channel, nativeId) ? (this.#open?.text.toString() ?? "") : "";
    if (text.startsWith(emitted)) return this.delta(channel, nativeId, text.slice(emitted.length));
    this.#open = undefined;
    const retry = { type: "system", subtype: "retry", text: "the message was replaced" } as const;
    return [retry, ...this.delta(channel, nativeId, text)];
  }

  /** Completes the open message. */
  close(): EventDraft[] {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return [];
    const { channel, messageId } = open;
    const text = open.text.toString();
    return [{ type: "message", role: "assistant", channel, messageId, text }];
  }

  #isOpen(channel: Channel, nativeId: string | undefined): boolean {
    return this.#open?.channel === channel && this.#open.nativeId === nativeId;
  }

  #begin(channel: Channel, nativeId: string | undefined): OpenMessage {
    const messageId = `${this.#turn}/${this.#unusedId(channel, nativeId)}`;
    this.#open = { channel, nativeId, messageId, text: new GrowingText() };
    return this.#open;
  }

  /**
   * Returns an unused id. An id that the agent repeats within a turn belongs to a new message, because the first
   * message is already complete.
   */
  #unusedId(channel: Channel, nativeId: string | undefined): string {
    const wanted = nativeId ?? String(++this.#count);
    let id = wanted;
    for (let again = 2; this.#used.has(`${channel} ${id}`); again++) id = `${wanted}#${again}`;
    this.#used.add(`${channel} ${id}`);
    return id;
  }
}

/** Converts a content block to text. A resource becomes its text or its URI; other content becomes a placeholder. */
export function textOf(block: ContentBlock): string {
  if (block.type === "text") return block.text ?? "";
  if (block.type === "resource") return block.resource?.text ?? block.resource?.uri ?? "";
  if (block.type === "resource_link") return block.uri ?? "";
  return `[${block.type}${block.mimeType ? ` ${block.mimeType}` : ""}]`;
}
