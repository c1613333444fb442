import type { EventDraft } from "../../../contracts/event-draft.ts";
import type { Channel } from "../../../schema/event.ts";
import { UniqueIds } from "../unique-ids.ts";

interface OpenMessage {
  readonly messageId: string;
  /** The index of the part that the last delta belongs to. */
  part: number | undefined;
}

/** Tracks the model's messages in one turn while they stream. */
export class OpenMessages {
  readonly #turnId: string;
  readonly #ids = new UniqueIds();
  readonly #open = new Map<string, OpenMessage>();
  /** The items whose message is complete or abandoned. */
  readonly #closed = new Set<string>();

  constructor(turnId: string) {
    this.#turnId = turnId;
  }

  start(itemId: string): void {
    if (!this.#open.has(itemId)) this.#startMessage(itemId);
  }

  delta(itemId: string, channel: Channel, text: string, part = 0): EventDraft[] {
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

  /** True if a message has deltas and is neither complete nor abandoned. */
  get isOpen(): boolean {
    return [...this.#open.values()].some(({ part }) => part !== undefined);
  }

  has(itemId: string): boolean {
    return this.#open.has(itemId);
  }

  /** Abandons all open messages. If an item starts again, it becomes a new message. */
  abandon(): void {
    for (const itemId of [...this.#open.keys()]) this.#close(itemId);
  }

  #find(itemId: string): OpenMessage | undefined {
    const message = this.#open.get(itemId);
    return message ?? (this.#closed.has(itemId) ? undefined : this.#startMessage(itemId));
  }

  #startMessage(itemId: string): OpenMessage {
    const messageId = `${this.#turnId}/${this.#ids.make(itemId)}`;
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

/** The separator between the parts of the model's reasoning. */
export const PART_BREAK = "\n\n";
