import type { StreamEvent } from "../../schema/event.ts";
import type { Api } from "../api/api.ts";
import type { Item } from "./item.ts";
import { Items } from "./items.ts";
import { createSource, type Source } from "./source.ts";

/** The maximum number of events per request. */
const CHUNK = 500;

/**
 * The number of events at the end of the log that are loaded first. Small, so that the end is shown quickly; the
 * transcript loads more if it is not filled.
 */
const FIRST = 160;

/** The minimum number of items in a newly opened window, if the log has as many. */
const FEW_ITEMS = 40;

/**
 * The number of items above which a window is trimmed, so that a long session needs no more memory than a short one. A
 * window that follows new events is trimmed above 1.5 times this number.
 */
const MANY_ITEMS = 900;

/** A part of a log, as the transcript shows it. */
export interface WindowView {
  readonly items: readonly Item[];
  readonly queued: ReadonlyMap<string, string>;
  /** The log up to this `seq` is not loaded. 0 if the window starts at the beginning. */
  readonly after: number;
  /** The `seq` of the last loaded event. */
  readonly last: number;
  /** The `seq` of the last event in the log. */
  readonly end: number;
  readonly isLoading: boolean;
}

/**
 * Loads a session's log in windows: first the end, then older or newer events on demand, or the events around a jump
 * target. While the window contains the end of the log, new events extend it.
 */
export class LogWindow {
  readonly view: Source<WindowView>;
  readonly #api: Api;
  readonly #id: string;
  /** The window's events, without the deltas of complete messages. */
  #events: StreamEvent[] = [];
  #items = new Items();
  #after = 0;
  #last = 0;
  #end: number;
  #loading: Promise<void> | undefined;

  constructor(api: Api, id: string, end: number) {
    this.#api = api;
    this.#id = id;
    this.#end = end;
    this.view = createSource(this.#snapshot());
  }

  /** True if the window contains the end of the log. */
  get isAtEnd(): boolean {
    return this.#last >= this.#end;
  }

  /** Shows the end of the log. */
  openEnd(): Promise<void> {
    return this.#load(async () => {
      await this.#replace(Math.max(0, this.#end - FIRST));
      while (!this.isAtEnd) await this.#readNewer();
      while (this.#after > 0 && this.#isThin()) await this.#readOlder();
    });
  }

  /** Shows the log around an event. */
  jump(seq: number): Promise<void> {
    return this.#load(async () => {
      if (this.#after < seq && seq <= this.#last) return;
      await this.#replace(Math.max(0, Math.floor(seq - CHUNK / 2)));
      while (this.#after > 0 && this.#startsInsideMessage()) await this.#readOlder();
    });
  }

  /** Adds older events to the window, and drops the window's end if it becomes too long. */
  older(): Promise<void> {
    if (this.#after === 0) return Promise.resolve();
    return this.#load(async () => {
      await this.#readOlder();
      if (this.#items.all.length > MANY_ITEMS) this.#trimEnd();
    });
  }

  /** Adds newer events to the window, and drops the window's start if it becomes too long. */
  newer(): Promise<void> {
    if (this.isAtEnd) return Promise.resolve();
    return this.#load(async () => {
      await this.#readNewer();
      if (this.#items.all.length > MANY_ITEMS) this.#trimStart();
    });
  }

  /** Receives the session's events as they are written. */
  onEvents(events: readonly StreamEvent[]): void {
    const last = events.at(-1);
    if (!last || last.seq <= this.#end) return;
    const next = events.filter(({ seq }) => seq > this.#last);
    const isNext = this.isAtEnd && next[0]?.seq === this.#last + 1;
    if (isNext && this.#loading === undefined) {
      this.#append(next);
      if (this.#items.all.length > MANY_ITEMS * 1.5) this.#trimStart();
      this.#publish();
    } else void this.extendTo(last.seq).catch(() => {}); // ignored, because the next event tries again
  }

  /**
   * Sets the end of the log to the `seq` of its last event. If the window contains the previous end, reads the events up
   * to the new end.
   */
  async extendTo(end: number): Promise<void> {
    if (end <= this.#end) return;
    if (this.isAtEnd) return this.#load(() => this.#readTo(end));
    this.#end = end;
    this.#publish();
  }

  async #load(work: () => Promise<void>): Promise<void> {
    while (this.#loading !== undefined) await this.#loading.catch(() => {});
    this.#loading = work().finally(() => {
      this.#loading = undefined;
      this.#publish();
    });
    this.#publish();
    await this.#loading;
    // Read events that were written while the window was read.
    if (!this.isAtEnd && this.#end - this.#last < CHUNK) await this.newer();
  }

  /** Sets the new end only after the events have been read, so that the next call tries again after an error. */
  async #readTo(end: number): Promise<void> {
    while (this.isAtEnd && this.#last < end) {
      const before = this.#last;
      await this.#readNewer();
      if (this.#last === before) return; // the log is shorter than `end`
      if (this.#items.all.length > MANY_ITEMS * 1.5) this.#trimStart();
    }
    this.#end = Math.max(this.#end, end);
  }

  async #readNewer(): Promise<void> {
    const { events } = await this.#api.window(this.#id, { after: this.#last, limit: CHUNK });
    this.#append(events);
    if (events.length === 0) this.#end = this.#last;
  }

  async #readOlder(): Promise<void> {
    const from = Math.max(0, this.#after - CHUNK);
    const limit = this.#after - from;
    const { events } = await this.#api.window(this.#id, { after: from, limit });
    this.#after = from;
    this.#events = withoutSpoken([...events, ...this.#events]);
    this.#rebuild();
  }

  #append(events: readonly StreamEvent[]): void {
    this.#last = events.at(-1)?.seq ?? this.#last;
    this.#end = Math.max(this.#end, this.#last);
    this.#events.push(...events);
    if (events.some(({ type }) => type === "message")) this.#events = withoutSpoken(this.#events);
    this.#items.apply(events);
  }

  /** Moves the window. The old items stay visible until the new items are loaded. */
  async #replace(after: number): Promise<void> {
    const { events } = await this.#api.window(this.#id, { after, limit: CHUNK });
    this.#after = after;
    this.#last = after;
    this.#events = [];
    this.#items = new Items();
    this.#append(events);
    if (events.length === 0) this.#end = this.#last;
  }

  #rebuild(): void {
    this.#items = new Items();
    this.#items.apply(this.#events);
  }

  #trimStart(): void {
    const first = this.#items.all[this.#items.all.length - Math.floor(MANY_ITEMS * 0.7)];
    if (!first) return;
    this.#after = first.seq - 1;
    this.#events = this.#events.filter(({ seq }) => seq >= first.seq);
    this.#rebuild();
  }

  #trimEnd(): void {
    const end = this.#items.all[Math.floor(MANY_ITEMS * 0.7)];
    if (!end) return;
    this.#last = end.seq - 1;
    this.#events = this.#events.filter(({ seq }) => seq < end.seq);
    this.#rebuild();
  }

  #isThin(): boolean {
    return this.#items.all.length < FEW_ITEMS || this.#startsInsideMessage();
  }

  /** True if the window may start in the middle of a message: its first event is a delta of an incomplete message. */
  #startsInsideMessage(): boolean {
    const [first] = this.#items.all;
    const isOpen = (first?.kind === "text" || first?.kind === "reasoning") && !first.isDone;
    return isOpen && this.#events[0]?.type === "delta";
  }

  #publish(): void {
    this.view.set(this.#snapshot());
  }

  #snapshot(): WindowView {
    return {
      items: this.#items.all,
      queued: this.#items.queued,
      after: this.#after,
      last: this.#last,
      end: this.#end,
      isLoading: this.#loading !== undefined,
    };
  }
}

/** Removes the deltas of messages that are complete in these events. */
function withoutSpoken(events: readonly StreamEvent[]): StreamEvent[] {
  const complete = new Set<string>();
  for (const event of events)
    if (event.type === "message") complete.add(`${event.channel}:${event.messageId}`);
  return events.filter(
    (event) => event.type !== "delta" || !complete.has(`${event.channel}:${event.messageId}`),
  );
}
