import type { EventDraft } from "../../../contracts/event-draft.ts";
import type { Channel } from "../../../schema/event.ts";
import type { NativeStreamEvent } from "../messages.ts";

interface OpenBlock {
  readonly messageId: string;
  readonly channel: Channel;
  text: string;
}

/**
 * Maps the assistant's content blocks to drafts: deltas while a block streams, then the complete message. Each block is
 * a separate message. Its id is the uuid of the native message that started the block. Without a uuid, the id consists
 * of the id of the model's message and the index of the block.
 */
export class AssistantBlocks {
  /** The id of the model's message that is streaming. */
  #apiMessageId: string | undefined;
  /** The incomplete blocks of the streaming message, by index. */
  readonly #open = new Map<number, OpenBlock>();

  /** Maps one stream event. Returns undefined if its type is unknown. */
  onStreamEvent({
    event,
    uuid,
    abandoned_blocks: abandoned,
  }: NativeStreamEvent): EventDraft[] | undefined {
    const { type, index = 0, message, content_block: block, delta } = event;
    switch (type) {
      case "message_start": {
        const drafts = this.abandon();
        this.#apiMessageId = message?.id;
        return drafts;
      }
      case "content_block_start": {
        const channel = channelOf(block?.type);
        const messageId = uuid ?? `${this.#apiMessageId}.${index}`;
        if (channel) this.#open.set(index, { messageId, channel, text: "" });
        return [];
      }
      case "content_block_delta":
        return this.#append(index, delta?.text ?? delta?.thinking ?? "");
      case "message_stop":
        return abandoned ? this.abandon(abandoned.from_block_index) : [];
      case "content_block_stop":
      case "message_delta":
      case "ping":
      case "error":
        return [];
      default:
        return undefined;
    }
  }

  /** Maps a complete block. `apiMessageId` is the id of the model's message that contains it. */
  complete(
    channel: Channel,
    text: string,
    origin: { apiMessageId: string | undefined; uuid: string },
  ) {
    const drafts = origin.apiMessageId === this.#apiMessageId ? [] : this.abandon();
    const streamed = this.#take(channel);
    if (streamed !== undefined && text.startsWith(streamed.text)) {
      drafts.push(...blockDrafts(streamed, text));
    } else if (text !== "") {
      if (streamed?.text) drafts.push(retry("the message was replaced"));
      drafts.push(...blockDrafts({ messageId: origin.uuid, channel, text: "" }, text));
    }
    return drafts;
  }

  /** Discards the incomplete blocks starting at an index. Returns a retry draft if any of them had text. */
  abandon(from = 0): EventDraft[] {
    let hadText = false;
    for (const [index, { text }] of this.#open) {
      if (index < from) continue;
      hadText ||= text !== "";
      this.#open.delete(index);
    }
    return hadText ? [retry("the model's answer was interrupted")] : [];
  }

  /** Forgets all blocks at the end of a turn. The session closes incomplete messages. */
  clear(): void {
    this.#open.clear();
    this.#apiMessageId = undefined;
  }

  #append(index: number, text: string): EventDraft[] {
    const block = this.#open.get(index);
    if (block === undefined || text === "") return [];
    block.text += text;
    const { channel, messageId } = block;
    return [{ type: "delta", channel, messageId, text }];
  }

  /** Removes and returns the oldest incomplete block of a channel: blocks end in the order in which they started. */
  #take(channel: Channel): OpenBlock | undefined {
    for (const [index, block] of this.#open) {
      if (block.channel !== channel) continue;
      this.#open.delete(index);
      return block;
    }
    return undefined;
  }
}

/** Returns the rest of the text as a delta, and the complete message. */
function blockDrafts(
  { messageId, channel, text: streamed }: OpenBlock,
  text: string,
): EventDraft[] {
  if (text === "") return [];
  const rest = text.slice(streamed.length);
  const message = { type: "message", role: "assistant", channel, messageId, text } as const;
  return rest === "" ? [message] : [{ type: "delta", channel, messageId, text: rest }, message];
}

function retry(text: string): EventDraft {
  return { type: "system", subtype: "retry", text };
}

function channelOf(type: string | undefined): Channel | undefined {
  if (type === "text") return "text";
  return type === "thinking" ? "reasoning" : undefined;
}
