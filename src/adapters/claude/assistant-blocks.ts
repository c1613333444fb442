import type { EventDraft } from "../../core/draft.ts";
import type { Channel } from "../../schema/event.ts";
import type { StreamEvent } from "./messages.ts";

interface Told {
  readonly messageId: string;
  readonly channel: Channel;
  text: string;
}

/**
 * What the assistant says, block by block: in pieces while it streams, then as a whole. Every block is a message of
 * its own, named after the native message that began it, which no other message of the session is.
 */
export class AssistantBlocks {
  /** The model's message that streams. */
  #apiMessageId: string | undefined;
  /** Its blocks that were begun and not yet told as a whole, by their index. */
  readonly #open = new Map<number, Told>();

  /** One event of the stream; undefined for one that we do not know. */
  hear({ event, uuid, abandoned_blocks: abandoned }: StreamEvent): EventDraft[] | undefined {
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
        return this.#piece(index, delta?.text ?? delta?.thinking ?? "");
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

  /** A block as a whole; `apiMessageId` is the message it belongs to. */
  whole(
    channel: Channel,
    text: string,
    origin: { apiMessageId: string | undefined; uuid: string },
  ) {
    const drafts = origin.apiMessageId === this.#apiMessageId ? [] : this.abandon();
    const streamed = this.#take(channel);
    if (streamed !== undefined && text.startsWith(streamed.text)) {
      drafts.push(...told(streamed, text));
    } else if (text !== "") {
      if (streamed?.text) drafts.push(retry("told anew"));
      drafts.push(...told({ messageId: origin.uuid, channel, text: "" }, text));
    }
    return drafts;
  }

  /** What streamed from that block on and was not told as a whole never will be. */
  abandon(from = 0): EventDraft[] {
    let wasTold = false;
    for (const [index, { text }] of this.#open) {
      if (index < from) continue;
      wasTold ||= text !== "";
      this.#open.delete(index);
    }
    return wasTold ? [retry("the model's answer broke off")] : [];
  }

  /** The turn has ended; what is open is for the core to close. */
  clear(): void {
    this.#open.clear();
    this.#apiMessageId = undefined;
  }

  #piece(index: number, text: string): EventDraft[] {
    const block = this.#open.get(index);
    if (block === undefined || text === "") return [];
    block.text += text;
    const { channel, messageId } = block;
    return [{ type: "delta", channel, messageId, text }];
  }

  /** Blocks end in the order in which they began. */
  #take(channel: Channel): Told | undefined {
    for (const [index, block] of this.#open) {
      if (block.channel !== channel) continue;
      this.#open.delete(index);
      return block;
    }
    return undefined;
  }
}

/** The pieces that were not told yet, and the whole. */
function told({ messageId, channel, text: pieces }: Told, text: string): EventDraft[] {
  if (text === "") return [];
  const rest = text.slice(pieces.length);
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
