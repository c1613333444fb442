import type { StreamEvent } from "../../schema/event.ts";
import type { Item } from "./item.ts";
import { systemNote } from "./system-note.ts";

/** The items for consecutive events, and the messages that wait in the queue. */
export class Items {
  #items: Item[] = [];
  readonly #places = new Map<string, number>();
  /** Messages that wait for their turn, by turn id. */
  readonly queued = new Map<string, string>();

  /** The items in order. Each call to `apply` creates a new array. */
  get all(): readonly Item[] {
    return this.#items;
  }

  /** Applies events in log order. */
  apply(events: readonly StreamEvent[]): void {
    this.#items = [...this.#items];
    const written = new Map<string, string[]>();
    for (const event of events) {
      if (event.type === "delta") this.#write(event, written);
      else this.#take(event, written);
    }
    for (const key of written.keys()) this.#settle(key, written);
  }

  /** Collects a delta's text, so that each call to `apply` copies a message only once. */
  #write(event: Extract<StreamEvent, { type: "delta" }>, written: Map<string, string[]>): void {
    const key = messageKey(event);
    const item = this.#find(key);
    if (!item) this.#put(newMessage(event, "", false));
    else if ((item.kind === "text" || item.kind === "reasoning") && item.isDone) return;
    const texts = written.get(key);
    if (texts) texts.push(event.text);
    else written.set(key, [event.text]);
    if (item?.kind === "reasoning") this.#put({ ...item, endAt: event.at });
  }

  #settle(key: string, written: Map<string, string[]>): void {
    const item = this.#find(key);
    const text = written.get(key)?.join("") ?? "";
    if (item?.kind === "text" || item?.kind === "reasoning")
      this.#put({ ...item, text: item.text + text });
  }

  #take(event: Exclude<StreamEvent, { type: "delta" }>, written: Map<string, string[]>): void {
    const { seq, at, turnId = "" } = event;
    switch (event.type) {
      case "system":
        this.#system(event);
        break;
      case "message":
        if (event.role === "user") this.#said(event);
        else this.#complete(event, written);
        break;
      case "tool_call":
        this.#put({ kind: "tool", key: `t:${event.callId}`, seq, at, call: event });
        break;
      case "tool_result": {
        const item = this.#find(`t:${event.callId}`);
        if (item?.kind === "tool") this.#put({ ...item, result: event, endAt: at });
        break;
      }
      case "request":
        if (event.verdict !== "ask") break;
        this.#put({ kind: "request", key: `r:${event.requestId}`, seq, at, request: event });
        this.#hold(event.callId, true);
        break;
      case "response": {
        const item = this.#find(`r:${event.requestId}`);
        if (item?.kind !== "request") break;
        this.#put({ ...item, response: event });
        this.#hold(item.request.callId, false);
        break;
      }
      case "completion":
        this.queued.delete(turnId);
        this.#finish();
        this.#end(event, turnId);
        break;
      case "error":
        this.#put({ kind: "error", key: `x:${seq}`, seq, at, text: event.message });
        break;
    }
  }

  #system(event: Extract<StreamEvent, { type: "system" }>): void {
    const { seq, at, subtype, text = "", data, turnId = "" } = event;
    if (subtype === "turn_queued") this.queued.set(turnId, text);
    if (subtype === "turn_started" || subtype === "turn_steered") {
      const isSteered = subtype === "turn_steered";
      const id = isSteered && typeof data?.id === "string" ? data.id : turnId;
      this.queued.delete(id);
      if (text !== "") this.#put({ kind: "user", key: `u:${id}`, seq, at, text, isSteered });
    }
    if (subtype === "retry" || subtype === "session_stopped") this.#finish();
    const note = systemNote(event);
    if (note) this.#put({ kind: "note", key: `n:${seq}`, seq, at, ...note });
  }

  /** Shows a user's message, unless the start of its turn has already shown it. */
  #said({ seq, at, messageId, text }: Message): void {
    const key = `u:${messageId}`;
    if (!this.#places.has(key)) this.#put({ kind: "user", key, seq, at, text, isSteered: false });
  }

  /** Replaces a message's deltas with its complete text. */
  #complete(event: Message, written: Map<string, string[]>): void {
    const key = messageKey(event);
    const known = this.#find(key);
    written.delete(key);
    if (!known && event.text.trim() === "") return;
    const start = known ? { seq: known.seq, at: known.at } : {};
    this.#put({ ...newMessage(event, event.text, true), ...start });
  }

  #end({ seq, at, outcome }: Extract<StreamEvent, { type: "completion" }>, turnId: string): void {
    const last = this.#items.at(-1);
    const message = outcome.error?.message ?? "The turn failed.";
    const isShown = last?.kind === "error" && last.text === message;
    const problem = outcome.status === "failed" && !isShown && { problem: message };
    this.#put({ kind: "end", key: `e:${seq}`, seq, at, outcome, turnId, ...problem });
  }

  /** Marks messages as complete if the runtime never reported their end. */
  #finish(): void {
    for (const item of this.#items.slice(-20))
      if ((item.kind === "text" || item.kind === "reasoning") && !item.isDone)
        this.#put({ ...item, isDone: true });
  }

  /** Sets whether a tool call waits for an answer. */
  #hold(callId: string | undefined, isHeld: boolean): void {
    const item = this.#find(`t:${callId}`);
    if (item?.kind === "tool") this.#put({ ...item, isHeld });
  }

  #find(key: string): Item | undefined {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.#items[place];
  }

  #put(item: Item): void {
    const place = this.#places.get(item.key);
    if (place !== undefined) this.#items[place] = item;
    else {
      this.#places.set(item.key, this.#items.length);
      this.#items.push(item);
    }
  }
}

type Message = Extract<StreamEvent, { type: "message" }>;
type MessageLike = Extract<StreamEvent, { type: "delta" | "message" }>;

function messageKey({ channel, messageId }: MessageLike): string {
  return `m:${channel}:${messageId}`;
}

function newMessage(event: MessageLike, text: string, isDone: boolean): Item {
  const { seq, at, channel } = event;
  const placed = { key: messageKey(event), seq, at, text, isDone };
  return channel === "text"
    ? { kind: "text", ...placed }
    : { kind: "reasoning", ...placed, endAt: at };
}
