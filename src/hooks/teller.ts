import type { Audience, Listener } from "../core/audience.ts";
import type { SessionInfo } from "../schema/session.ts";
import { createPayloads } from "./payload.ts";
import type { HookSink } from "./sink.ts";
import { SinkQueue } from "./sink-queue.ts";
import type { SinkSource } from "./sink-source.ts";

/** How hooks are told. */
export interface TellerOptions {
  /** Hears of what a sink could not be told, and why; nothing else does. */
  readonly onProblem: (problem: string) => void;
  /** How long disposing waits for what is still to be told: five seconds unless given. */
  readonly drainMs?: number;
}

/**
 * Tells the sinks of each start, message, error and stop that is written down here: at most once, in the order of the
 * log, and by the process that wrote it. No turn waits for a sink.
 */
export class Teller implements Audience {
  readonly #sinksOf: SinkSource;
  readonly #onProblem: (problem: string) => void;
  readonly #drainMs: number;
  readonly #queues = new Map<HookSink, SinkQueue>();
  /** What waits for its sinks to be found. */
  readonly #waiting = new Set<Promise<void>>();

  constructor(sinksOf: SinkSource, { onProblem, drainMs = 5_000 }: TellerOptions) {
    this.#sinksOf = sinksOf;
    this.#onProblem = onProblem;
    this.#drainMs = drainMs;
  }

  attend(session: SessionInfo): Listener {
    const toPayload = createPayloads();
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
      this.#onProblem(`hooks are not told of ${session.id}: ${reason}`);
      return [];
    }
  }

  #queueOf(sink: HookSink): SinkQueue {
    const queue = this.#queues.get(sink) ?? new SinkQueue(sink, this.#onProblem);
    this.#queues.set(sink, queue);
    return queue;
  }
}
