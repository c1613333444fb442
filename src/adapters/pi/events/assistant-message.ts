import type { Channel, DeltaEvent, MessageEvent } from "../../../schema/event.ts";
import type { AssistantMessage, ContentBlock } from "../messages.ts";

interface StreamUpdate {
  readonly type: string;
  readonly contentIndex?: number | undefined;
  readonly delta?: string | undefined;
}

/** Maps the assistant's messages to deltas and complete messages. Assigns each message a unique id. */
export class AssistantMessages {
  #lastTimestamp: number | undefined;
  /** The number of messages with the same timestamp. */
  #repeated = 0;
  #id: string | undefined;
  #streamed = new Map<Channel, StreamedText>();

  start({ timestamp }: AssistantMessage): void {
    this.#repeated = timestamp === this.#lastTimestamp ? this.#repeated + 1 : 1;
    this.#lastTimestamp = timestamp;
    this.#id = this.#repeated === 1 ? `msg-${timestamp}` : `msg-${timestamp}-${this.#repeated}`;
    this.#streamed = new Map();
  }

  delta({ type, contentIndex, delta = "" }: StreamUpdate): DeltaEvent[] {
    const channel = deltaChannels[type];
    if (this.#id === undefined || channel === undefined || delta === "") return [];
    const streamed = this.#streamed.get(channel);
    const isNextBlock = streamed !== undefined && streamed.block !== contentIndex;
    const text = isNextBlock ? `${BLOCK_GAP}${delta}` : delta;
    this.#streamed.set(channel, { block: contentIndex, text: (streamed?.text ?? "") + text });
    return [{ type: "delta", channel, messageId: this.#id, text }];
  }

  /** Emits the complete message. Emits nothing for a message that failed; a retry has another id. */
  end(message: AssistantMessage): MessageEvent[] {
    if (this.#id === undefined) this.start(message);
    const messageId = this.#id ?? "";
    this.#id = undefined;
    if (message.stopReason === "error") return [];
    const events: MessageEvent[] = [];
    for (const channel of ["reasoning", "text"] as const) {
      const text = this.#completeText(channel, textOf(message.content, channel));
      if (text === "") continue;
      events.push({ type: "message", role: "assistant", channel, messageId, text });
    }
    return events;
  }

  /** Returns the streamed text if it differs only in trailing whitespace, which Pi trims from the complete message. */
  #completeText(channel: Channel, text: string): string {
    const streamed = this.#streamed.get(channel)?.text ?? "";
    return streamed.trimEnd() === text.trimEnd() ? streamed : text;
  }
}

/** A channel's streamed text and the index of its last block. */
interface StreamedText {
  readonly block: number | undefined;
  readonly text: string;
}

const deltaChannels: Readonly<Record<string, Channel | undefined>> = {
  text_delta: "text",
  thinking_delta: "reasoning",
};

/** The separator between two blocks of one channel. */
const BLOCK_GAP = "\n\n";

function textOf(content: readonly ContentBlock[], channel: Channel): string {
  return content
    .map(({ text, thinking }) => (channel === "text" ? text : thinking) ?? "")
    .filter((text) => text !== "")
    .join(BLOCK_GAP);
}
