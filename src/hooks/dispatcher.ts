import type { Audience, Listener } from "../contracts/audience.ts";
import type { Store } from "../contracts/store.ts";
import { reasonOf } from "../errors/error.ts";
import { endedStates } from "../schema/constants.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { HookCursors } from "./cursors.ts";
import type { HookOutbox } from "./outbox.ts";
import { createPayloadMapper } from "./payload.ts";
import type { HookSink } from "./sinks/sink.ts";
import { SinkQueue } from "./sinks/sink-queue.ts";
import type { SinkSource } from "./sinks/sink-source.ts";

/** Options of a `HookDispatcher`. */
export interface HookDispatcherOptions {
  /**
   * Called with a description of each problem: a payload that cannot be delivered, a hook that cannot be opened, or a file
   * that cannot be read or written. Problems are not reported anywhere else.
   */
  readonly onProblem: (problem: string) => void;
  /** How long disposal waits for pending deliveries. Defaults to 5000 ms. */
  readonly drainMs?: number;
  /** Stores the payloads of webhooks until they are delivered. */
  readonly outbox?: HookOutbox | undefined;
  /** Stores the position up to which the events of each session are in the outbox. */
  readonly cursors?: HookCursors | undefined;
  /** Reads the events that a killed process appended to the log but did not add to the outbox. */
  readonly read?: Store["read"] | undefined;
}

/** Returns a session by its id. */
type FindSession = (id: SessionId) => Promise<SessionInfo | undefined>;

interface CatchUp {
  readonly after: number;
  readonly toPayload: ReturnType<typeof createPayloadMapper>;
  readonly found: readonly SinkQueue[];
}

const RESUME_MS = 60_000;
const PAGE = 1000;

/** True for the last event that this process appends to the log of the session. */
function isLast(event: StreamEvent): boolean {
  return (
    event.type === "system" &&
    (event.subtype === "session_stopped" || event.subtype === "session_detached")
  );
}

function hasEnded({ state }: SessionInfo): boolean {
  return endedStates.some((ended) => ended === state);
}

/**
 * Delivers the events that this process appends to a log to the session's hook sinks, in log order. Delivers at least
 * once to a URL if there are an outbox and cursors, otherwise at most once. A cursor records which events are not
 * handled yet. It is written before the first event of a session, and advances after payloads are in the outbox. A turn
 * never waits for a sink.
 */
export class HookDispatcher implements Audience {
  readonly #sinksOf: SinkSource;
  readonly #onProblem: (problem: string) => void;
  readonly #drainMs: number;
  readonly #outbox: HookOutbox | undefined;
  readonly #cursors: HookCursors | undefined;
  readonly #read: Store["read"] | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #queues = new Map<HookSink, SinkQueue>();
  /** Payloads whose sinks are still being determined. */
  readonly #waiting = new Set<Promise<void>>();

  constructor(sinksOf: SinkSource, options: HookDispatcherOptions) {
    const { onProblem, drainMs = 5_000, outbox, cursors, read } = options;
    this.#outbox = outbox;
    this.#cursors = cursors;
    this.#read = read;
    this.#sinksOf = sinksOf;
    this.#onProblem = onProblem;
    this.#drainMs = drainMs;
  }

  /** The number of payloads that wait for delivery. */
  get waiting(): number {
    return [...this.#queues.values()].reduce((sum, { length }) => sum + length, 0);
  }

  attend(session: SessionInfo): Listener {
    const { id, lastSeq } = session;
    const handled = this.#try(id, (cursors) => cursors.open(id, lastSeq)) ?? lastSeq;
    const toPayload = createPayloadMapper(handled > 0 && (handled < lastSeq || !hasEnded(session)));
    let queues: Promise<readonly SinkQueue[]> | undefined;
    const after = (work: (found: readonly SinkQueue[]) => Promise<void> | void) => {
      queues = (queues ?? this.#queuesOf(session)).then(async (found) => {
        await work(found);
        return found;
      });
      this.#wait(queues);
    };
    let isBehind = false;
    if (handled < lastSeq)
      after(async (found) => {
        isBehind = !(await this.#catchUp(session, { after: handled, toPayload, found }));
      });
    return (events, info) => {
      const payloads = events.flatMap((event) => toPayload(event, info) ?? []);
      const isReleased = events.some(isLast);
      if (payloads.length === 0 && !isReleased) return;
      const last = events.at(-1);
      after((found) => {
        for (const payload of payloads) for (const queue of found) queue.add(payload, id);
        if (isBehind) return; // the cursor stays, so that the next process delivers the missing events
        const isOver = isReleased || found.every(({ sinkId }) => sinkId === undefined);
        this.#try(id, (cursors) =>
          isOver ? cursors.close(id) : cursors.advance(id, last?.seq ?? lastSeq),
        );
      });
    };
  }

  /**
   * Adds the events that another process left unhandled to the outbox. Sinks without an outbox skip these events,
   * because they may already have received them. Returns false if the events cannot be read.
   */
  async #catchUp(session: SessionInfo, { after, toPayload, found }: CatchUp): Promise<boolean> {
    const durable = found.filter(({ sinkId }) => sinkId !== undefined);
    try {
      for (let seq = after; durable.length > 0 && seq < session.lastSeq; ) {
        const limit = Math.min(PAGE, session.lastSeq - seq);
        const page = (await this.#read?.(session.id, { after: seq, limit })) ?? [];
        for (const payload of page.flatMap((event) => toPayload(event, session) ?? []))
          for (const queue of durable) queue.add(payload, session.id);
        if (page.length === 0) break;
        seq = page.at(-1)?.seq ?? seq;
      }
      return true;
    } catch (error) {
      this.#onProblem(
        `Hook events of ${session.id} cannot be read and are delivered after the next restart: ${reasonOf(error)}`,
      );
      return false;
    }
  }

  /** Runs work on the cursors. Returns undefined if there are no cursors, or if they cannot be written. */
  #try<T>(id: SessionId, work: (cursors: HookCursors) => T): T | undefined {
    try {
      return this.#cursors && work(this.#cursors);
    } catch (error) {
      this.#onProblem(
        `Hook events of ${id} may be lost if this process is killed: ${reasonOf(error)}`,
      );
      return undefined;
    }
  }

  #wait(work: Promise<unknown>): void {
    const waiting = work.then(() => void this.#waiting.delete(waiting));
    this.#waiting.add(waiting);
  }

  /** Delivers the payloads that other processes left behind: now, and then once a minute. */
  resume(find: FindSession): void {
    const deliver = () => this.#wait(this.#deliverAbandoned(find));
    deliver();
    this.#timer = setInterval(deliver, RESUME_MS);
    this.#timer.unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.#drainMs);
    const isLate = new Promise((resolve) => late.signal.addEventListener("abort", resolve));
    await Promise.race([Promise.all(this.#waiting), isLate]);
    await Promise.all([...this.#queues.values()].map((queue) => queue.drain(late.signal)));
    clearTimeout(timer);
  }

  /**
   * Delivers abandoned payloads. Never rejects. A payload that is expired, or whose session or hook no longer exists,
   * is removed.
   */
  async #deliverAbandoned(find: FindSession): Promise<void> {
    try {
      for (const { sessionId, seq } of (await this.#cursors?.abandoned()) ?? [])
        await this.#deliverAfter(seq, sessionId, await find(sessionId));
      for (const delivery of (await this.#outbox?.abandoned()) ?? []) {
        const { sink, sessionId, payload } = delivery;
        const session = await find(sessionId);
        const queues = session ? await this.#queuesOf(session) : [];
        const queue = queues.find(({ sinkId }) => sinkId === sink);
        if (queue && !this.#outbox?.isExpired(delivery)) queue.add(payload, sessionId);
        else this.#outbox?.release(delivery);
      }
    } catch (error) {
      this.#onProblem(`Earlier hook events cannot be read: ${reasonOf(error)}`);
    }
  }

  /** Delivers the remaining events of a session that ended before they were in the outbox. */
  async #deliverAfter(seq: number, id: SessionId, session?: SessionInfo): Promise<void> {
    if (session && !hasEnded(session)) return; // the process that resumes the session delivers them
    // claim the cursor, so that no other process delivers the same events
    this.#try(id, (cursors) => cursors.open(id, seq));
    const toPayload = createPayloadMapper(seq > 0);
    if (session) {
      const found = await this.#queuesOf(session);
      if (!(await this.#catchUp(session, { after: seq, toPayload, found }))) return;
    }
    this.#try(id, (cursors) => cursors.close(id));
  }

  /** Returns the queues of a session's sinks. Never rejects. */
  async #queuesOf(session: SessionInfo): Promise<readonly SinkQueue[]> {
    try {
      return (await this.#sinksOf(session, this.#onProblem)).map((sink) => this.#queueOf(sink));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#onProblem(`No hook receives the events of ${session.id}: ${reason}`);
      return [];
    }
  }

  #queueOf(sink: HookSink): SinkQueue {
    const queue =
      this.#queues.get(sink) ??
      new SinkQueue(sink, { onProblem: this.#onProblem, outbox: this.#outbox });
    this.#queues.set(sink, queue);
    return queue;
  }
}
