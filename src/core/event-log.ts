import type { StreamEvent } from "../schema/event.ts";
import type { TurnId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { Listener } from "./audience.ts";
import type { Clock } from "./clock.ts";
import { EventTail } from "./event-tail.ts";
import { type FollowSource, follow, followBatches } from "./follow.ts";
import type { FollowOptions } from "./halyard.ts";
import type { Machine } from "./machine.ts";
import { project } from "./projection.ts";
import { SharedPages } from "./shared-pages.ts";
import type { StoredEvent, Writer } from "./store.ts";
import { Wake } from "./wake.ts";

export interface AppendOptions {
  readonly turnId?: TurnId | undefined;
  readonly cursor?: number | undefined;
  readonly turnCursor?: number | undefined;
}

/** For the end of a runtime: the next one's output begins anew, and none of it is in the log. */
export const noOutput: AppendOptions = { cursor: 0, turnCursor: 0 };

/** The log of a session that this process writes. What a reader is given is on disk. */
export class EventLog implements FollowSource {
  readonly #writer: Writer;
  readonly #clock: Clock;
  readonly #wake = new Wake();
  #info: SessionInfo;
  #durable: SessionInfo;
  /** Not by the state it was found in, which is that of a session that has ended or was let go of. */
  #isOver = false;
  #readers = 0;
  /** Of what is durable, while there are readers. */
  readonly #tail = new EventTail();
  readonly #pages: SharedPages;
  readonly #listener: Listener | undefined;

  constructor(
    { store, clock, audience }: Pick<Machine, "store" | "clock" | "audience">,
    writer: Writer,
    info: SessionInfo,
  ) {
    this.#listener = audience?.attend(info);
    this.#pages = new SharedPages((after, limit) => store.read(info.id, { after, limit }));
    this.#writer = writer;
    this.#clock = clock;
    this.#info = info;
    this.#durable = info;
  }

  /** The session as it is after all that was appended. */
  get info(): SessionInfo {
    return this.#info;
  }

  /** In order of the calls; resolves once the events are durable. */
  async append(events: readonly StoredEvent[], options: AppendOptions = {}): Promise<void> {
    const { turnId, cursor, turnCursor } = options;
    const at = this.#clock.now().toISOString();
    const firstSeq = this.#info.lastSeq + 1;
    const info = project(this.#info, events, { at, turnId });
    this.#info = info;
    await this.#writer.append({ firstSeq, at, events, info, turnId, cursor, turnCursor });
    this.#durable = info;
    if (events.some(isLast)) this.#isOver = true;
    if (this.#readers > 0 || this.#listener) {
      const { id: sessionId, runtime } = info;
      const envelope = { at, sessionId, ...(turnId !== undefined && { turnId }), runtime };
      const whole = events.map((event, index) => ({
        seq: firstSeq + index,
        ...envelope,
        ...event,
      }));
      if (this.#readers > 0) this.#tail.push(whole);
      this.#listener?.(whole, info);
    }
    this.#wake.notify();
  }

  release(): Promise<void> {
    return this.#writer.release();
  }

  follow(options: FollowOptions = {}): AsyncGenerator<StreamEvent> {
    return follow(this, options);
  }

  followBatches(options: FollowOptions = {}): AsyncGenerator<readonly StreamEvent[]> {
    return followBatches(this, options);
  }

  open(): () => void {
    this.#readers++;
    return () => {
      this.#readers--;
      if (this.#readers > 0) return;
      this.#tail.clear();
      this.#pages.clear();
    };
  }

  get version(): number {
    return this.#wake.version;
  }

  changed(version: number, signal?: AbortSignal): Promise<void> {
    return this.#wake.after(version, signal);
  }

  isOver(): boolean {
    return this.#isOver;
  }

  read(after: number, limit: number): readonly StreamEvent[] | Promise<readonly StreamEvent[]> {
    if (after >= this.#durable.lastSeq) return [];
    return this.#tail.read(after, limit) ?? this.#pages.read(after, limit);
  }
}

function isLast(event: StoredEvent): boolean {
  if (event.type !== "system") return false;
  return event.subtype === "session_stopped" || event.subtype === "session_detached";
}
