import type { EventDraft } from "../../core/draft.ts";
import type { Channel } from "../../schema/event.ts";
import { Names } from "./names.ts";

interface OpenMessage {
  readonly messageId: string;
  /** The part that the last piece belongs to. */
  part: number | undefined;
}

/** What the model says in one turn, while it says it. */
export class OpenMessages {
  readonly #turnId: string;
  readonly #names = new Names();
  readonly #open = new Map<string, OpenMessage>();
  /** Told whole, or given up. */
  readonly #closed = new Set<string>();

  constructor(turnId: string) {
    this.#turnId = turnId;
  }

  start(itemId: string): void {
    if (!this.#open.has(itemId)) this.#begin(itemId);
  }

  piece(itemId: string, channel: Channel, text: string, part = 0): EventDraft[] {
    const message = this.#find(itemId);
    if (message === undefined || text === "") return [];
    const isNextPart = message.part !== undefined && part > message.part;
    message.part = part;
    const { messageId } = message;
    return [{ type: "delta", channel, messageId, text: isNextPart ? PART_BREAK + text : text }];
  }

  end(itemId: string, channel: Channel, text: string): EventDraft[] {
    const message = this.#find(itemId);
    if (message === undefined) return [];
    this.#close(itemId);
    const { messageId } = message;
    return text === "" ? [] : [{ type: "message", role: "assistant", channel, messageId, text }];
  }

  /** Whether a message has begun that has neither ended nor been given up. */
  get isOpen(): boolean {
    return [...this.#open.values()].some(({ part }) => part !== undefined);
  }

  has(itemId: string): boolean {
    return this.#open.has(itemId);
  }

  /** What has begun is given up: should it begin again, it is another message. */
  abandon(): void {
    for (const itemId of [...this.#open.keys()]) this.#close(itemId);
  }

  #find(itemId: string): OpenMessage | undefined {
    const message = this.#open.get(itemId);
    return message ?? (this.#closed.has(itemId) ? undefined : this.#begin(itemId));
  }

  #begin(itemId: string): OpenMessage {
    const messageId = `${this.#turnId}/${this.#names.take(itemId)}`;
    const message: OpenMessage = { messageId, part: undefined };
    this.#open.set(itemId, message);
    this.#closed.delete(itemId);
    return message;
  }

  #close(itemId: string): void {
    this.#open.delete(itemId);
    this.#closed.add(itemId);
  }
}

/** Between the parts of what the model thought. */
export const PART_BREAK = "\n\n";
