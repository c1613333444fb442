import type { Audience, Listener } from "../contracts/audience.ts";
import type { Store } from "../contracts/store.ts";
import { reasonOf } from "../errors/error.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { SpanMapper } from "./span-mapper.ts";
import type { SpanQueue } from "./span-queue.ts";
import type { TelemetryTarget } from "./target.ts";

/** Options of `TelemetryAudience`. */
export interface TelemetryAudienceOptions {
  /** Returns the telemetry receiver, or undefined if telemetry is not configured. Called once. */
  target(): Promise<TelemetryTarget | undefined>;
  /** Reads the part of a turn that another process has written. */
  readonly read: Store["read"];
  readonly onProblem: (problem: string) => void;
}

/** Sends the spans and metrics of the sessions that this process runs, if telemetry is configured. */
export class TelemetryAudience implements Audience {
  readonly #options: TelemetryAudienceOptions;
  #opening: Promise<Opened | undefined> | undefined;
  /** Pending work on events whose spans are not queued yet. */
  readonly #working = new Set<Promise<void>>();
  #isOff = false;

  constructor(options: TelemetryAudienceOptions) {
    this.#options = options;
  }

  attend(session: SessionInfo): Listener {
    let mapper: SpanMapper | undefined;
    let last: Promise<void> | undefined;
    return (events, info) => {
      if (this.#isOff || !events.some(isRelevant)) return;
      const work = async () => {
        await last;
        this.#opening ??= this.#open();
        const opened = await this.#opening;
        if (opened === undefined) return;
        mapper ??= await this.#mapperOf(session, events, opened);
        opened.queue.add(map(mapper, events, info));
      };
      last = work().catch((error: unknown) =>
        this.#options.onProblem(`Telemetry of ${session.id} is incomplete: ${reasonOf(error)}`),
      );
      const current = last;
      this.#working.add(current);
      void current.finally(() => this.#working.delete(current));
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#working);
    await (await this.#opening)?.queue[Symbol.asyncDispose]();
  }

  /** Opens the connection to the receiver. Returns undefined if there is no receiver or the call fails. Never rejects. */
  async #open(): Promise<Opened | undefined> {
    const { onProblem } = this.#options;
    try {
      const target = await this.#options.target();
      this.#isOff = target === undefined;
      if (target === undefined) return undefined;
      const { openOtlp } = await import("./otlp.ts"); // loaded on demand, because most processes send no telemetry
      const { SpanQueue } = await import("./span-queue.ts");
      const queue = new SpanQueue(await openOtlp(target), { onProblem });
      return { queue, content: target.content };
    } catch (error) {
      this.#isOff = true;
      onProblem(reasonOf(error));
      return undefined;
    }
  }

  /**
   * Returns the mapper of a session. Reads the beginning of the running turn from the log if another process ran it.
   */
  async #mapperOf(
    session: SessionInfo,
    [first]: readonly StreamEvent[],
    { content, queue }: Opened,
  ): Promise<SpanMapper> {
    const { id, turn } = session;
    const { SpanMapper } = await import("./span-mapper.ts");
    const mapper = new SpanMapper({ content });
    if (turn === undefined || first === undefined) return mapper;
    for (let after = turn.seq - 1; after < first.seq - 1; ) {
      const page = await this.#options.read(id, {
        after,
        limit: Math.min(PAGE, first.seq - 1 - after),
      });
      if (page.length === 0) break;
      queue.add(map(mapper, page, session));
      after = page.at(-1)?.seq ?? after;
    }
    return mapper;
  }
}

interface Opened {
  readonly queue: SpanQueue;
  readonly content: boolean;
}

const PAGE = 1000;

function map(mapper: SpanMapper, events: readonly StreamEvent[], info: SessionInfo) {
  return events.flatMap((event) => mapper.map(event, info));
}

/** False for deltas, which are most of the events and belong to no span. */
function isRelevant({ type }: StreamEvent): boolean {
  return type !== "delta";
}
