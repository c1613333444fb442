import type { EventDraft } from "../../../contracts/event-draft.ts";
import type { Channel } from "../../../schema/event.ts";
import type { Part } from "../messages.ts";

interface Stream {
  /** The emitted message's id. */
  id: string;
  readonly messageId: string;
  /** The text's channel. Undefined if only deltas have arrived. */
  channel: Channel | undefined;
  state: "open" | "closed" | "discarded";
  /** The text of the emitted deltas. */
  emitted: string;
  /** The text that was already emitted as complete messages. */
  before: string;
  /** True if deltas are missing. The next full update contains the text. */
  hasGap: boolean;
}

/**
 * Maps a turn's text and reasoning parts. Each part becomes a message, or several messages if tool calls interrupt the
 * part. OpenCode sends a part as deltas or, in older versions, as full updates. At the end of the part, OpenCode sends a
 * full update.
 */
export class TextParts {
  readonly #streams = new Map<string, Stream>();

  /** Maps a full update of a part. */
  update(part: Part): EventDraft[] {
    const channel = part.type === "reasoning" ? "reasoning" : "text";
    const stream = this.#stream(part.id, part.messageID);
    stream.channel = channel;
    if (stream.state !== "open") return [];
    const drafts = channel === "text" ? this.#discardOthers(stream) : [];
    const text = restOf(stream, part.text ?? "");
    if (part.time?.end !== undefined) return [...drafts, ...end(stream, channel, text)];
    if (!text.startsWith(stream.emitted)) return drafts;
    stream.hasGap = false;
    return [...drafts, ...add(stream, channel, text.slice(stream.emitted.length))];
  }

  /** Maps a delta for a part. */
  delta(id: string, messageId: string, text: string): EventDraft[] {
    const stream = this.#stream(id, messageId);
    if (stream.channel === undefined) stream.hasGap = true;
    if (stream.channel === undefined || stream.hasGap || stream.state !== "open") return [];
    return add(stream, stream.channel, text);
  }

  /**
   * Completes a message's open texts before a tool call. With some models, OpenCode reports the end of a text only at
   * the end of the model call. If the text continues after the tool call, the rest becomes another message.
   */
  closeBefore(messageId: string): EventDraft[] {
    const drafts: EventDraft[] = [];
    for (const stream of this.#streams.values()) {
      const { channel, emitted } = stream;
      const isOpen = stream.messageId === messageId && stream.state === "open" && emitted !== "";
      if (!isOpen || channel === undefined || stream.hasGap) continue;
      drafts.push(message(stream, channel, emitted));
      stream.before += emitted;
      stream.emitted = "";
      stream.id += "'";
    }
    return drafts;
  }

  /** Discards open parts before a retry, which uses new parts. */
  discardOpen(): void {
    for (const stream of this.#streams.values()) {
      if (stream.state === "open") stream.state = "discarded";
    }
  }

  /** Records that deltas may be missing. */
  markGap(): void {
    for (const stream of this.#streams.values()) stream.hasGap = true;
  }

  /** Discards a message's other open texts. Texts are sequential, so a retry has replaced them. */
  #discardOthers(stream: Stream): EventDraft[] {
    const drafts: EventDraft[] = [];
    for (const other of this.#streams.values()) {
      if (other === stream || other.messageId !== stream.messageId) continue;
      if (other.channel !== "text" || other.state !== "open") continue;
      other.state = "discarded";
      if (other.emitted !== "") drafts.push(retry("the message was restarted", other.id));
    }
    return drafts;
  }

  #stream(id: string, messageId: string): Stream {
    const known = this.#streams.get(id);
    if (known !== undefined) return known;
    const stream: Stream = {
      id,
      messageId,
      channel: undefined,
      state: "open",
      emitted: "",
      before: "",
      hasGap: false,
    };
    this.#streams.set(id, stream);
    return stream;
  }
}

function add(stream: Stream, channel: Channel, text: string): EventDraft[] {
  if (text === "") return [];
  stream.emitted += text;
  return [{ type: "delta", channel, messageId: stream.id, text }];
}

function end(stream: Stream, channel: Channel, text: string): EventDraft[] {
  stream.state = "closed";
  // OpenCode trims the full text, but the deltas have already been emitted.
  const complete = stream.emitted.trimEnd() === text.trimEnd() ? stream.emitted : text;
  if (complete === "") return [];
  if (!complete.startsWith(stream.emitted)) {
    const replacement = { id: `${stream.id}'` };
    return [retry("the message was replaced", stream.id), message(replacement, channel, complete)];
  }
  const rest = add(stream, channel, complete.slice(stream.emitted.length));
  return [...rest, message(stream, channel, complete)];
}

/** Returns the text that follows the complete messages. */
function restOf({ before }: Stream, text: string): string {
  return text.startsWith(before) ? text.slice(before.length) : "";
}

function message(
  { id: messageId }: Pick<Stream, "id">,
  channel: Channel,
  text: string,
): EventDraft {
  return { type: "message", role: "assistant", channel, messageId, text };
}

function retry(text: string, messageId: string): EventDraft {
  return { type: "system", subtype: "retry", text, data: { messageId } };
}
