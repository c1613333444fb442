import type { Channel, DeltaEvent, MessageEvent } from "../../schema/event.ts";
import type { AssistantMessage, Block } from "./messages.ts";

interface Piece {
  readonly type: string;
  readonly contentIndex?: number | undefined;
  readonly delta?: string | undefined;
}

/** The assistant's messages as they come: each under an id of its own, told in pieces and then as a whole. */
export class AssistantMessages {
  #lastTimestamp: number | undefined;
  /** How many messages had that timestamp. */
  #repeated = 0;
  #id: string | undefined;
  #told = new Map<Channel, Told>();

  start({ timestamp }: AssistantMessage): void {
    this.#repeated = timestamp === this.#lastTimestamp ? this.#repeated + 1 : 1;
    this.#lastTimestamp = timestamp;
    this.#id = this.#repeated === 1 ? `msg-${timestamp}` : `msg-${timestamp}-${this.#repeated}`;
    this.#told = new Map();
  }

  piece({ type, contentIndex, delta = "" }: Piece): DeltaEvent[] {
    const channel = deltaChannels[type];
    if (this.#id === undefined || channel === undefined || delta === "") return [];
    const told = this.#told.get(channel);
    const isNextBlock = told !== undefined && told.block !== contentIndex;
    const text = isNextBlock ? `${BLOCK_GAP}${delta}` : delta;
    this.#told.set(channel, { block: contentIndex, text: (told?.text ?? "") + text });
    return [{ type: "delta", channel, messageId: this.#id, text }];
  }

  /** A message that broke off with an error is abandoned; if there is another attempt, it gets another id. */
  end(message: AssistantMessage): MessageEvent[] {
    if (this.#id === undefined) this.start(message);
    const messageId = this.#id ?? "";
    this.#id = undefined;
    if (message.stopReason === "error") return [];
    const events: MessageEvent[] = [];
    for (const channel of ["reasoning", "text"] as const) {
      const text = this.#whole(channel, textOf(message.content, channel));
      if (text === "") continue;
      events.push({ type: "message", role: "assistant", channel, messageId, text });
    }
    return events;
  }

  /** Pi trims the end of a whole; what was told in pieces can no longer be trimmed. */
  #whole(channel: Channel, text: string): string {
    const told = this.#told.get(channel)?.text ?? "";
    return told.trimEnd() === text.trimEnd() ? told : text;
  }
}

/** What a channel has said so far, and the block that said it last. */
interface Told {
  readonly block: number | undefined;
  readonly text: string;
}

const deltaChannels: Readonly<Record<string, Channel | undefined>> = {
  text_delta: "text",
  thinking_delta: "reasoning",
};

/** Stands between two blocks of one channel, in the pieces as in the whole. */
const BLOCK_GAP = "\n\n";

function textOf(content: readonly Block[], channel: Channel): string {
  return content
    .map(({ text, thinking }) => (channel === "text" ? text : thinking) ?? "")
    .filter((text) => text !== "")
    .join(BLOCK_GAP);
}
