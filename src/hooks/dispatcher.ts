import type { Audience, Listener } from "../contracts/audience.ts";
import type { SessionInfo } from "../schema/session.ts";
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
}

/**
 * Delivers each start, message, error and stop that this process appends to a log to the hook sinks of the session: at
 * most once and in log order. A turn never waits for a sink.
 */
export class HookDispatcher implements Audience {
  readonly #sinksOf: SinkSource;
  readonly #onProblem: (problem: string) => void;
  readonly #drainMs: number;
  readonly #queues = new Map<HookSink, SinkQueue>();
  /** Payloads whose sinks are not known yet. */
  readonly #waiting = new Set<Promise<void>>();

  constructor(sinksOf: SinkSource, { onProblem, drainMs = 5_000 }: HookDispatcherOptions) {
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
        for (const payload of payloads) for (const queue of found) queue.add(payload);
        this.#waiting.delete(waiting);
      });
      this.#waiting.add(waiting);
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.#drainMs);
    const isLate = new Promise((resolve) => late.signal.addEventListener("abort", resolve));
    await Promise.race([Promise.all(this.#waiting), isLate]);
    await Promise.all([...this.#queues.values()].map((queue) => queue.drain(late.signal)));
    clearTimeout(timer);
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
    const queue = this.#queues.get(sink) ?? new SinkQueue(sink, this.#onProblem);
    this.#queues.set(sink, queue);
    return queue;
  }
}
