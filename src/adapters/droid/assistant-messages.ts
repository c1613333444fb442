import type { Channel, DeltaEvent, MessageEvent } from "../../schema/event.ts";
import type { Block } from "./messages.ts";

interface Piece {
  readonly messageId: string;
  readonly blockIndex?: number | undefined;
  readonly textDelta: string;
}

/** The assistant's messages as they come: in pieces and then as a whole, each attempt under an id of its own. */
export class AssistantMessages {
  /** What has been said of messages that are not whole yet, by channel and Droid's id. */
  readonly #told = new Map<string, Told>();
  /** How often a message was begun anew; Droid goes on under the same id. */
  readonly #attempts = new Map<string, number>();

  clear(): void {
    this.#told.clear();
    this.#attempts.clear();
  }

  piece(channel: Channel, { messageId, blockIndex, textDelta }: Piece): DeltaEvent[] {
    if (textDelta === "") return [];
    const key = `${channel} ${messageId}`;
    const told = this.#told.get(key);
    const isNextBlock = told !== undefined && told.block !== blockIndex;
    const text = isNextBlock ? `${BLOCK_GAP}${textDelta}` : textDelta;
    this.#told.set(key, { messageId, block: blockIndex, text: (told?.text ?? "") + text });
    return [{ type: "delta", channel, messageId: this.#name(messageId), text }];
  }

  whole(id: string, content: string | readonly Block[]): MessageEvent[] {
    const messageId = this.#name(id);
    const events: MessageEvent[] = [];
    for (const channel of ["reasoning", "text"] as const) {
      const text = this.#whole(`${channel} ${id}`, textOf(content, channel));
      if (text !== "")
        events.push({ type: "message", role: "assistant", channel, messageId, text });
    }
    return events;
  }

  /** Gives up what is not whole: one message, or all of them. Says whether there was any. */
  abandon(messageId?: string): boolean {
    const given = [...this.#told].filter(
      ([, told]) => told.messageId === (messageId ?? told.messageId),
    );
    for (const [key] of given) this.#told.delete(key);
    for (const id of new Set(given.map(([, told]) => told.messageId)))
      this.#attempts.set(id, (this.#attempts.get(id) ?? 1) + 1);
    return given.length > 0;
  }

  #name(messageId: string): string {
    const attempt = this.#attempts.get(messageId) ?? 1;
    return attempt === 1 ? messageId : `${messageId}#${attempt}`;
  }

  /** A whole may be trimmed; what was told in pieces can no longer be. */
  #whole(key: string, text: string): string {
    const told = this.#told.get(key)?.text ?? "";
    this.#told.delete(key);
    return told.trim() === text.trim() ? told : text;
  }
}

/** What a channel has said of a message so far, and the block that said it last. */
interface Told {
  readonly messageId: string;
  readonly block: number | undefined;
  readonly text: string;
}

/** Stands between two blocks of one channel, in the pieces as in the whole. */
const BLOCK_GAP = "\n\n";

function textOf(content: string | readonly Block[], channel: Channel): string {
  if (typeof content === "string") return channel === "text" ? content : "";
  return content
    .map(
      ({ type, text, thinking }) => (channel === "text" ? type === "text" && text : thinking) || "",
    )
    .filter((text) => text !== "")
    .join(BLOCK_GAP);
}
