import { HalyardError } from "../core/error.ts";
import type { Session } from "../core/halyard.ts";
import type { SessionId } from "../schema/id.ts";
import { createPayloads } from "./payload.ts";
import type { HookSink } from "./sink.ts";
import { SinkQueue } from "./sink-queue.ts";
import type { SinkSource } from "./sink-source.ts";

interface Followed {
  readonly session: Session;
  /** Its log was read to the end. */
  readonly end: Promise<void>;
}

interface CloseOptions {
  readonly onDispose: "stop" | "detach";
  readonly drainMs: number;
}

/** Reads the logs of sessions from where they were opened, and tells every sink what it is to be told. */
export class SessionTeller {
  readonly #sinksOf: SinkSource;
  readonly #queues = new Map<HookSink, SinkQueue>();
  readonly #onProblem: (problem: string) => void;
  readonly #followed = new Map<SessionId, Followed>();

  constructor(sinksOf: SinkSource, onProblem: (problem: string) => void) {
    this.#sinksOf = sinksOf;
    this.#onProblem = onProblem;
  }

  /** Once for each opening of a session, however often it is asked for. */
  follow(session: Session): void {
    const { id } = session;
    if (this.#followed.get(id)?.session === session) return;
    const end = this.#tell(session)
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        this.#onProblem(`hooks are not told of ${id}: ${reason}`);
      })
      .finally(() => {
        if (this.#followed.get(id)?.session === session) this.#followed.delete(id);
      });
    this.#followed.set(id, { session, end });
  }

  /** Stops a session, if it is followed, and reads its log to the end: soon there may be none. */
  async stop(id: SessionId, reason: string): Promise<void> {
    const followed = this.#followed.get(id);
    await followed?.session.stop(reason);
    await followed?.end;
  }

  /** Releases the sessions while their logs can still be read, and gives the sinks that long to hear of it. */
  async close({ onDispose, drainMs }: CloseOptions): Promise<void> {
    const last = [...this.#followed.values()];
    const release = onDispose === "stop" ? stop : letGo;
    await Promise.allSettled(last.map(({ session }) => release(session)));
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), drainMs);
    const isLate = new Promise((resolve) => late.signal.addEventListener("abort", resolve));
    await Promise.race([Promise.all(last.map(({ end }) => end)), isLate]);
    await Promise.all([...this.#queues.values()].map((queue) => queue.drain(late.signal)));
    clearTimeout(timer);
  }

  async #tell(session: Session): Promise<void> {
    const sinks = await this.#sinksOf(session.info);
    if (sinks.length === 0) return;
    const queues = sinks.map((sink) => this.#queueOf(sink));
    const toPayload = createPayloads();
    for await (const event of session.events({ after: session.openedAfter })) {
      const payload = toPayload(event, session.info);
      if (payload) for (const queue of queues) queue.add(payload);
    }
  }

  #queueOf(sink: HookSink): SinkQueue {
    const queue = this.#queues.get(sink) ?? new SinkQueue(sink, this.#onProblem);
    this.#queues.set(sink, queue);
    return queue;
  }
}

const stop = (session: Session): Promise<void> => session.stop("disposed");

/** One that cannot go on without us is stopped, as it would be anyway. */
async function letGo(session: Session): Promise<void> {
  try {
    await session.detach();
  } catch (error) {
    if (error instanceof HalyardError && error.code === "unsupported") await stop(session);
  }
}
