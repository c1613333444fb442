import type { ErrorInfo } from "../schema/error.ts";
import type { Channel, DeltaEvent, EventBody, MessageEvent } from "../schema/event.ts";
import type { CompletionDraft, EventDraft, RequestDraft, SettledDraft } from "./draft.ts";
import { MessageStream } from "./message-stream.ts";
import type { Redactor } from "./redaction.ts";

/** What the ledger lets into the log as it is; requests and the end of a turn need the session. */
type PlainDraft = Exclude<EventDraft, RequestDraft | SettledDraft | CompletionDraft>;

interface OpenStream {
  readonly messageId: string;
  readonly channel: Channel;
  readonly stream: MessageStream;
  /** How many messages were told before it began. */
  readonly since: number;
}

/**
 * Keeps the promises of a turn's events, whatever the runtime does: one call and one result per tool, the call
 * first; one message per message and channel, to which its deltas add up. Pure bookkeeping: no time, no ids of ours.
 */
export class TurnLedger {
  readonly #redactor: Redactor;
  readonly #openCalls = new Set<string>();
  readonly #seenCalls = new Set<string>();
  readonly #closedStreams = new Set<string>();
  readonly #openStreams = new Map<string, OpenStream>();
  #text = "";
  #messages = 0;
  #error: string | undefined;
  #hasBegun = false;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** The last thing the assistant said. */
  get text(): string {
    return this.#text;
  }

  /** Whether the runtime has said anything yet. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get hasOpenCall(): boolean {
    return this.#openCalls.size > 0;
  }

  /** What goes into the log for one thing the runtime said. */
  admit(draft: PlainDraft): EventBody[] {
    this.#hasBegun ||= draft.type !== "system";
    if (draft.type === "delta") return this.#delta(draft);
    const event = this.#redactor.redact(draft);
    switch (event.type) {
      case "message":
        return this.#message(event);
      case "tool_call":
        if (this.#seenCalls.has(event.callId)) return [];
        this.#seenCalls.add(event.callId);
        this.#openCalls.add(event.callId);
        return [event];
      case "tool_result": {
        const { callId } = event;
        if (this.#openCalls.delete(callId)) return [event];
        if (this.#seenCalls.has(callId)) return [];
        this.#seenCalls.add(callId);
        return [{ type: "tool_call", callId, name: "unknown", kind: "other", input: {} }, event];
      }
      case "system":
        if (event.subtype === "retry") this.#abandonStreams();
        return [event];
      case "error":
        this.#error = event.message;
        return [event];
    }
  }

  /** Restores the state after an event that the log has already. */
  restore(event: PlainDraft): void {
    if (event.type !== "delta") this.admit(event);
    else this.#streamOf(event)?.restore(event.text);
    this.#hasBegun ||= event.type !== "system";
  }

  /** Feeds a delta again that an earlier process has read: the log may lack the end of it. */
  replay(delta: DeltaEvent): void {
    this.#streamOf(delta)?.replay(delta.text);
  }

  /** Whether the log tells of this error already. */
  hasTold(error: ErrorInfo): boolean {
    return this.#error === error.message;
  }

  /** What is still owed when the turn ends: the messages begun and the results that never came. */
  close(): EventBody[] {
    const events: EventBody[] = [];
    for (const { messageId, channel, stream, since } of [...this.#openStreams.values()]) {
      const text = `${stream.logged}${stream.flush()}`;
      const lastSaid = since < this.#messages ? this.#text : undefined;
      const message = { type: "message", role: "assistant", channel, messageId, text } as const;
      events.push(...this.#message(message));
      this.#text = lastSaid ?? this.#text;
    }
    for (const callId of this.#openCalls) {
      events.push({ type: "tool_result", callId, output: "interrupted", isError: true });
    }
    this.#openCalls.clear();
    return events;
  }

  #delta(delta: DeltaEvent): EventBody[] {
    const text = this.#streamOf(delta)?.push(delta.text) ?? "";
    if (text === "") return [];
    return [text === delta.text ? delta : { ...delta, text }];
  }

  /** The stream that a delta belongs to; undefined if it adds nothing. */
  #streamOf(delta: DeltaEvent): MessageStream | undefined {
    const key = streamKey(delta);
    if (delta.text === "" || this.#closedStreams.has(key)) return undefined;
    return (this.#openStreams.get(key) ?? this.#openStream(key, delta)).stream;
  }

  #openStream(key: string, { messageId, channel }: DeltaEvent): OpenStream {
    const stream = new MessageStream(this.#redactor.stream());
    const opened = { messageId, channel, stream, since: this.#messages };
    this.#openStreams.set(key, opened);
    return opened;
  }

  #message(message: MessageEvent): EventBody[] {
    const key = streamKey(message);
    if (this.#closedStreams.has(key)) return [];
    const told = this.#openStreams.get(key)?.stream.logged ?? "";
    if (!message.text.startsWith(told)) return this.#retold(message, key);
    this.#openStreams.delete(key);
    this.#closedStreams.add(key);
    if (message.text === "") return [];
    if (message.role === "assistant" && message.channel === "text") {
      this.#text = message.text;
      this.#messages++;
    }
    const missing = message.text.slice(told.length);
    return missing === "" ? [message] : [deltaOf(message, missing), message];
  }

  /** The whole is not what was streamed: the stream is given up, and the message told under another name. */
  #retold(message: MessageEvent, key: string): EventBody[] {
    this.#openStreams.delete(key);
    this.#closedStreams.add(key);
    const renamed = { ...message, messageId: `${message.messageId}'` };
    const retry = {
      type: "system",
      subtype: "retry",
      text: "told anew",
      data: { messageId: message.messageId },
    } as const;
    return [retry, ...this.#message(renamed)];
  }

  #abandonStreams(): void {
    for (const key of this.#openStreams.keys()) this.#closedStreams.add(key);
    this.#openStreams.clear();
  }
}

function streamKey(of: { messageId: string; channel: Channel }): string {
  return `${of.channel} ${of.messageId}`;
}

function deltaOf({ messageId, channel }: MessageEvent, text: string): DeltaEvent {
  return { type: "delta", channel, messageId, text };
}
