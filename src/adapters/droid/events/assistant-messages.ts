import type { Channel, DeltaEvent, MessageEvent } from "../../../schema/event.ts";
import type { ContentBlock } from "../messages.ts";

interface Delta {
  readonly messageId: string;
  readonly blockIndex?: number | undefined;
  readonly textDelta: string;
}

/** Maps the assistant's messages: first the deltas, then the complete message. Each attempt has its own id. */
export class AssistantMessages {
  /** Messages that are not complete yet, by channel and Droid's id. */
  readonly #partial = new Map<string, PartialMessage>();
  /** The number of attempts per message. Droid uses the same id for all attempts. */
  readonly #attempts = new Map<string, number>();

  clear(): void {
    this.#partial.clear();
    this.#attempts.clear();
  }

  delta(channel: Channel, { messageId, blockIndex, textDelta }: Delta): DeltaEvent[] {
    if (textDelta === "") return [];
    const key = `${channel} ${messageId}`;
    const partial = this.#partial.get(key);
    const isNextBlock = partial !== undefined && partial.block !== blockIndex;
    const text = isNextBlock ? `${BLOCK_GAP}${textDelta}` : textDelta;
    this.#partial.set(key, { messageId, block: blockIndex, text: (partial?.text ?? "") + text });
    return [{ type: "delta", channel, messageId: this.#attemptId(messageId), text }];
  }

  complete(id: string, content: string | readonly ContentBlock[]): MessageEvent[] {
    const messageId = this.#attemptId(id);
    const events: MessageEvent[] = [];
    for (const channel of ["reasoning", "text"] as const) {
      const text = this.#completeText(`${channel} ${id}`, textOf(content, channel));
      if (text !== "")
        events.push({ type: "message", role: "assistant", channel, messageId, text });
    }
    return events;
  }

  /** Discards the incomplete message with this id or, without an id, all incomplete messages. Returns true if any existed. */
  discard(messageId?: string): boolean {
    const discarded = [...this.#partial].filter(
      ([, partial]) => partial.messageId === (messageId ?? partial.messageId),
    );
    for (const [key] of discarded) this.#partial.delete(key);
    for (const id of new Set(discarded.map(([, partial]) => partial.messageId)))
      this.#attempts.set(id, (this.#attempts.get(id) ?? 1) + 1);
    return discarded.length > 0;
  }

  #attemptId(messageId: string): string {
    const attempt = this.#attempts.get(messageId) ?? 1;
    return attempt === 1 ? messageId : `${messageId}#${attempt}`;
  }

  /**
   * Returns the complete text. Droid may trim it, but the untrimmed deltas have already been emitted, so the emitted
   * text takes precedence.
   */
  #completeText(key: string, text: string): string {
    const partial = this.#partial.get(key)?.text ?? "";
    this.#partial.delete(key);
    return partial.trim() === text.trim() ? partial : text;
  }
}

/** The text of one channel so far, and the block that the last delta belongs to. */
interface PartialMessage {
  readonly messageId: string;
  readonly block: number | undefined;
  readonly text: string;
}

/** Separates two blocks of one channel, in the deltas and in the complete message. */
const BLOCK_GAP = "\n\n";

function textOf(content: string | readonly ContentBlock[], channel: Channel): string {
  if (typeof content === "string") return channel === "text" ? content : "";
  return content
    .map(
      ({ type, text, thinking }) => (channel === "text" ? type === "text" && text : thinking) || "",
    )
    .filter((text) => text !== "")
    .join(BLOCK_GAP);
}
