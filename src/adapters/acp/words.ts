import type { EventDraft } from "../../core/draft.ts";
import { GrowingText } from "../../core/growing-text.ts";
import type { Channel } from "../../schema/event.ts";
import type { ContentBlock } from "./messages.ts";

interface OpenMessage {
  readonly channel: Channel;
  /** The agent's own name for it, where it gives one. */
  readonly nativeId: string | undefined;
  readonly messageId: string;
  readonly text: GrowingText;
}

/** What the agent says in one turn, while it says it: one message at a time, whole once another thing begins. */
export class Words {
  readonly #turn: string;
  readonly #used = new Set<string>();
  #open: OpenMessage | undefined;
  #count = 0;

  constructor(turn: string) {
    this.#turn = turn;
  }

  piece(channel: Channel, nativeId: string | undefined, text: string): EventDraft[] {
    if (text === "") return [];
    const before = this.#isOpen(channel, nativeId) ? [] : this.close();
    const message = this.#open ?? this.#begin(channel, nativeId);
    message.text.add(text);
    return [...before, { type: "delta", channel, messageId: message.messageId, text }];
  }

  /** The message as it is now, whatever was told of it before. */
  whole(channel: Channel, nativeId: string | undefined, text: string): EventDraft[] {
    const told = this.#isOpen(channel, nativeId) ? (this.#open?.text.toString() ?? "") : "";
    if (text.startsWith(told)) return this.piece(channel, nativeId, text.slice(told.length));
    this.#open = undefined;
    const retry = { type: "system", subtype: "retry", text: "told anew" } as const;
    return [retry, ...this.piece(channel, nativeId, text)];
  }

  /** Nothing more will be added to what is being said. */
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
    const messageId = `${this.#turn}/${this.#name(channel, nativeId)}`;
    this.#open = { channel, nativeId, messageId, text: new GrowingText() };
    return this.#open;
  }

  /** A name that was used before in this turn is that of another message: what came between has ended the first. */
  #name(channel: Channel, nativeId: string | undefined): string {
    const wanted = nativeId ?? String(++this.#count);
    let name = wanted;
    for (let again = 2; this.#used.has(`${channel} ${name}`); again++) name = `${wanted}#${again}`;
    this.#used.add(`${channel} ${name}`);
    return name;
  }
}

/** What can be told of a piece of content in words. */
export function textOf(block: ContentBlock): string {
  if (block.type === "text") return block.text ?? "";
  if (block.type === "resource") return block.resource?.text ?? block.resource?.uri ?? "";
  if (block.type === "resource_link") return block.uri ?? "";
  return `[${block.type}${block.mimeType ? ` ${block.mimeType}` : ""}]`;
}
