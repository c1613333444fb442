import type { EventDraft } from "../../core/draft.ts";
import type { Channel } from "../../schema/event.ts";
import type { Part } from "./messages.ts";

interface Stream {
  /** Ours for the message it is. */
  id: string;
  readonly messageId: string;
  /** Unknown as long as only pieces of it came. */
  channel: Channel | undefined;
  state: "open" | "closed" | "given up";
  /** What was told of it in pieces. */
  told: string;
  /** What of it is a whole message already. */
  before: string;
  /** Pieces were missed: only the whole can tell the rest. */
  hasGap: boolean;
}

/**
 * What the assistant says and thinks in a turn. Each part is a message of ours: told in pieces, or in full with what
 * has been added (the older way), and once more in full when it ends.
 */
export class TextParts {
  readonly #streams = new Map<string, Stream>();

  /** A part in full, as far as it has come. */
  update(part: Part): EventDraft[] {
    const channel = part.type === "reasoning" ? "reasoning" : "text";
    const stream = this.#stream(part.id, part.messageID);
    stream.channel = channel;
    if (stream.state !== "open") return [];
    const drafts = channel === "text" ? this.#giveUpOthers(stream) : [];
    const text = restOf(stream, part.text ?? "");
    if (part.time?.end !== undefined) return [...drafts, ...end(stream, channel, text)];
    if (!text.startsWith(stream.told)) return drafts;
    stream.hasGap = false;
    return [...drafts, ...add(stream, channel, text.slice(stream.told.length))];
  }

  /** What has been added to a part. */
  piece(id: string, messageId: string, text: string): EventDraft[] {
    const stream = this.#stream(id, messageId);
    if (stream.channel === undefined) stream.hasGap = true;
    if (stream.channel === undefined || stream.hasGap || stream.state !== "open") return [];
    return add(stream, stream.channel, text);
  }

  /**
   * A tool is begun: what the message has said up to here goes before it, though some models let OpenCode know only
   * at their very end that a text is complete. Should it go on all the same, the rest is another message.
   */
  closeBefore(messageId: string): EventDraft[] {
    const drafts: EventDraft[] = [];
    for (const stream of this.#streams.values()) {
      const { channel, told } = stream;
      const isUnderWay = stream.messageId === messageId && stream.state === "open" && told !== "";
      if (!isUnderWay || channel === undefined || stream.hasGap) continue;
      drafts.push(message(stream, channel, told));
      stream.before += told;
      stream.told = "";
      stream.id += "'";
    }
    return drafts;
  }

  /** What is under way is begun anew, as another part. */
  giveUp(): void {
    for (const stream of this.#streams.values()) {
      if (stream.state === "open") stream.state = "given up";
    }
  }

  /** Some pieces of what is under way may have been missed. */
  missSome(): void {
    for (const stream of this.#streams.values()) stream.hasGap = true;
  }

  /** A message says one text after the other: one that never ended was begun anew, and we missed hearing so. */
  #giveUpOthers(stream: Stream): EventDraft[] {
    const drafts: EventDraft[] = [];
    for (const other of this.#streams.values()) {
      if (other === stream || other.messageId !== stream.messageId) continue;
      if (other.channel !== "text" || other.state !== "open") continue;
      other.state = "given up";
      if (other.told !== "") drafts.push(retry("begun anew", other.id));
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
      told: "",
      before: "",
      hasGap: false,
    };
    this.#streams.set(id, stream);
    return stream;
  }
}

function add(stream: Stream, channel: Channel, text: string): EventDraft[] {
  if (text === "") return [];
  stream.told += text;
  return [{ type: "delta", channel, messageId: stream.id, text }];
}

function end(stream: Stream, channel: Channel, text: string): EventDraft[] {
  stream.state = "closed";
  // The whole is trimmed at its end; what was told in pieces can no longer be.
  const whole = stream.told.trimEnd() === text.trimEnd() ? stream.told : text;
  if (whole === "") return [];
  if (!whole.startsWith(stream.told)) {
    const anew = { id: `${stream.id}'` };
    return [retry("told anew", stream.id), message(anew, channel, whole)];
  }
  const rest = add(stream, channel, whole.slice(stream.told.length));
  return [...rest, message(stream, channel, whole)];
}

/** The whole is trimmed at its end, so that it may be less than what was told. */
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
