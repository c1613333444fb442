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
  /** The block that spoke last on each channel. */
  #spoke = new Map<Channel, number | undefined>();

  start({ timestamp }: AssistantMessage): void {
    this.#repeated = timestamp === this.#lastTimestamp ? this.#repeated + 1 : 1;
    this.#lastTimestamp = timestamp;
    this.#id = this.#repeated === 1 ? `msg-${timestamp}` : `msg-${timestamp}-${this.#repeated}`;
    this.#spoke = new Map();
  }

  piece({ type, contentIndex, delta = "" }: Piece): DeltaEvent[] {
    const channel = deltaChannels[type];
    if (this.#id === undefined || channel === undefined || delta === "") return [];
    const isNextBlock = this.#spoke.has(channel) && this.#spoke.get(channel) !== contentIndex;
    this.#spoke.set(channel, contentIndex);
    const text = isNextBlock ? `${BLOCK_GAP}${delta}` : delta;
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
      const text = textOf(message.content, channel);
      if (text === "") continue;
      events.push({ type: "message", role: "assistant", channel, messageId, text });
    }
    return events;
  }
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
