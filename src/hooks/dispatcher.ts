import type { Audience, Listener } from "../contracts/audience.ts";
import { reasonOf } from "../errors/error.ts";
import type { SessionId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { HookOutbox } from "./outbox.ts";
import { createPayloadMapper } from "./payload.ts";
import type { HookSink } from "./sink.ts";
import { SinkQueue } from "./sink-queue.ts";
import type { SinkSource } from "./sink-source.ts";

/** Options of a `HookDispatcher`. */
export interface HookDispatcherOptions {
  /** Called with the reason if a payload cannot be delivered. Failed deliveries are reported nowhere else. */
  readonly onProblem: (problem: string) => void;
  /** How long disposal waits for pending deliveries. Defaults to 5000 ms. */
  readonly drainMs?: number;
  /** Keeps the payloads of webhooks until they are delivered. */
  readonly outbox?: HookOutbox | undefined;
}

/** Returns a session by its id. */
type FindSession = (id: SessionId) => Promise<SessionInfo | undefined>;

const RESUME_MS = 60_000;

/**
 * Delivers the events that this process appends to a log to the hook sinks of the session, in log order: at least once to
 * a URL if there is an outbox, at most once otherwise. A turn never waits for a sink.
 */
export class HookDispatcher implements Audience {
  readonly #sinksOf: SinkSource;
  readonly #onProblem: (problem: string) => void;
  readonly #drainMs: number;
  readonly #outbox: HookOutbox | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #queues = new Map<HookSink, SinkQueue>();
  /** Payloads whose sinks are not known yet. */
  readonly #waiting = new Set<Promise<void>>();

  constructor(sinksOf: SinkSource, { onProblem, drainMs = 5_000, outbox }: HookDispatcherOptions) {
    this.#outbox = outbox;
    this.#sinksOf = sinksOf;
    this.#onProblem = onProblem;
    this.#drainMs = drainMs;
  }

  attend(session: SessionInfo): Listener {
    const toPayload = createPayloadMapper();
    let queues: Promise<readonly SinkQueue[]> | undefined;
    return (events, info) => {
      const payloads = events.flatMap((event) => toPayload(event, info) ?? []);
      if (payloads.length === 0) return;
      queues ??= this.#queuesOf(session);
      const waiting = queues.then((found) => {
        for (const payload of payloads) for (const queue of found) queue.add(payload, session.id);
        this.#waiting.delete(waiting);
      });
      this.#waiting.add(waiting);
    };
  }

  /** Delivers what killed processes have left, now and once a minute. */
  resume(find: FindSession): void {
    const deliver = () => {
      const waiting = this.#deliverAbandoned(find).finally(() => this.#waiting.delete(waiting));
      this.#waiting.add(waiting);
    };
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

  /** Never rejects. A payload that is expired, or whose session or hook no longer exists, is removed. */
  async #deliverAbandoned(find: FindSession): Promise<void> {
    try {
      for (const delivery of (await this.#outbox?.abandoned()) ?? []) {
        const { sink, sessionId, payload } = delivery;
        const session = await find(sessionId);
        const queues = session ? await this.#queuesOf(session) : [];
        const queue = queues.find(({ sinkId }) => sinkId === sink);
        if (queue && !this.#outbox?.isExpired(delivery)) queue.add(payload, sessionId);
        else this.#outbox?.release(delivery);
      }
    } catch (error) {
      this.#onProblem(`earlier hook events cannot be read: ${reasonOf(error)}`);
    }
  }

  /** Never rejects. */
  async #queuesOf(session: SessionInfo): Promise<readonly SinkQueue[]> {
    try {
      return (await this.#sinksOf(session, this.#onProblem)).map((sink) => this.#queueOf(sink));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#onProblem(`no hook receives the events of ${session.id}: ${reason}`);
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
