import type {
  CompletionDraft,
  EventDraft,
  RequestDraft,
  SettledDraft,
} from "../../contracts/event-draft.ts";
import type { Redactor } from "../../log/redaction/redaction.ts";
import type { ErrorInfo } from "../../schema/error.ts";
import type { Channel, DeltaEvent, EventBody, MessageEvent } from "../../schema/event.ts";
import { MessageStream } from "./message-stream.ts";

/** A draft that the ledger can convert to events alone. Requests, their settlement and completions need the session. */
type PlainDraft = Exclude<EventDraft, RequestDraft | SettledDraft | CompletionDraft>;

interface OpenStream {
  readonly messageId: string;
  readonly channel: Channel;
  readonly stream: MessageStream;
  /** The number of messages that were logged before the stream started. */
  readonly since: number;
}

/**
 * Enforces the guarantees of a turn's events for any runtime output. Each tool call has one result, which follows the
 * call. Each message id has one message per channel, which equals the sum of its deltas. Deterministic: uses no clock
 * and no random ids.
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

  /** The text of the assistant's last complete message. */
  get text(): string {
    return this.#text;
  }

  /** True if the runtime has produced output other than system events. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** True if the turn has done work: the log contains a complete message from the assistant, or a tool call. */
  get hasWorked(): boolean {
    return this.#messages > 0 || this.#seenCalls.size > 0;
  }

  get hasOpenCall(): boolean {
    return this.#openCalls.size > 0;
  }

  /** Returns the events to log for one draft. */
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

  /** Restores the state after an event that is already in the log. */
  restore(event: PlainDraft): void {
    if (event.type !== "delta") this.admit(event);
    else this.#streamOf(event)?.restore(event.text);
    this.#hasBegun ||= event.type !== "system";
  }

  /** Processes a delta that an earlier process has already read. The log may lack the end of the delta. */
  replay(delta: DeltaEvent): void {
    this.#streamOf(delta)?.replay(delta.text);
  }

  /** True if the last error event of the turn has the same message. */
  hasReported(error: ErrorInfo): boolean {
    return this.#error === error.message;
  }

  /** Returns the events that are missing at the end of the turn: incomplete messages, and results of open calls. */
  close(): EventBody[] {
    const events: EventBody[] = [];
    for (const { messageId, channel, stream, since } of [...this.#openStreams.values()]) {
      const text = `${stream.logged}${stream.flush()}`;
      const lastText = since < this.#messages ? this.#text : undefined;
      const message = { type: "message", role: "assistant", channel, messageId, text } as const;
      events.push(...this.#message(message));
      this.#text = lastText ?? this.#text;
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

  /** Returns the stream of a delta. Returns undefined if the delta is empty, or if its stream is complete or aborted. */
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
    const logged = this.#openStreams.get(key)?.stream.logged ?? "";
    if (!message.text.startsWith(logged)) return this.#restart(message, key);
    this.#openStreams.delete(key);
    this.#closedStreams.add(key);
    if (message.text === "") return [];
    if (message.role === "assistant" && message.channel === "text") {
      this.#text = message.text;
      this.#messages++;
    }
    const missing = message.text.slice(logged.length);
    return missing === "" ? [message] : [deltaOf(message, missing), message];
  }

  /**
   * Handles a complete message that differs from its deltas: the stream is aborted, and the message is logged with
   * another id.
   */
  #restart(message: MessageEvent, key: string): EventBody[] {
    this.#openStreams.delete(key);
    this.#closedStreams.add(key);
    const renamed = { ...message, messageId: `${message.messageId}'` };
    const retry = {
      type: "system",
      subtype: "retry",
      text: "the message differs from its deltas",
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
