import type { Block, Store, Writer } from "../../contracts/store.ts";
import { liveStates, SessionState } from "../../schema/session/session-state.ts";
import { type MetricFamily, toExposition } from "./exposition.ts";
import { DurationHistogram } from "./histogram.ts";

/** The sources of a process's metrics. */
export interface MetricSources {
  readonly store: Pick<Store, "list" | "countStates" | "lastPosition">;
  /** Returns the number of waiting hook deliveries. */
  readonly waitingDeliveries: () => number;
}

/** Counts the activity of this process, for Prometheus. */
export class ProcessMetrics {
  readonly #appends = new DurationHistogram();
  readonly #events = new Map<string, number>();
  readonly #turns = new Map<string, { outcome: string; runtime: string; count: number }>();

  /** Returns a store that counts events, and measures how long appends take until they are durable. */
  measure(store: Store): Store {
    const timed = (writer: Writer): Writer => ({
      append: async (block) => {
        const startedAt = performance.now();
        await writer.append(block);
        this.#appends.record(performance.now() - startedAt);
        this.#count(block);
      },
      release: () => writer.release(),
    });
    return new Proxy(store, {
      get(target, key) {
        if (key === "create")
          return async (...given: Parameters<Store["create"]>) =>
            timed(await target.create(...given));
        if (key === "claim")
          return async (...given: Parameters<Store["claim"]>) =>
            timed(await target.claim(...given));
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  /** Returns all metrics in the Prometheus text format. */
  async toText(sources: MetricSources): Promise<string> {
    return toExposition([
      ...(await storeFamilies(sources)),
      ...this.#families(),
      ...processFamilies(),
    ]);
  }

  #count({ events, info: { runtime } }: Block): void {
    for (const event of events) {
      this.#events.set(event.type, (this.#events.get(event.type) ?? 0) + 1);
      if (event.type !== "completion") continue;
      const outcome = event.outcome.status;
      const key = `${outcome} ${runtime}`;
      const turns = this.#turns.get(key) ?? { outcome, runtime, count: 0 };
      turns.count++;
      this.#turns.set(key, turns);
    }
  }

  #families(): MetricFamily[] {
    return [
      {
        name: "halyard_turns_total",
        help: "Turns that ended in this process.",
        type: "counter",
        samples: [...this.#turns.values()].map(({ outcome, runtime, count: value }) => ({
          labels: { outcome, runtime },
          value,
        })),
      },
      {
        name: "halyard_events_total",
        help: "Events that this process appended to logs.",
        type: "counter",
        samples: [...this.#events].map(([type, value]) => ({ labels: { type }, value })),
      },
      this.#appends.toFamily(
        "halyard_store_append_seconds",
        "Time until an append of this process was durable.",
      ),
    ];
  }
}

/** Returns the metrics of all sessions in the store, including those of other processes. */
async function storeFamilies({ store, waitingDeliveries }: MetricSources): Promise<MetricFamily[]> {
  const live = (await store.list({ states: liveStates })).map(({ info }) => info);
  const counts = store.countStates ? await store.countStates() : countOf(await store.list());
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return [
    {
      name: "halyard_sessions",
      help: "Sessions in the store by state.",
      type: "gauge",
      samples: SessionState.options.map((state) => ({
        labels: { state },
        value: counts.get(state) ?? 0,
      })),
    },
    gauge(
      "halyard_queued_turns",
      "Turns that wait for another turn of their session.",
      sum(live.map(({ queue }) => queue.length)),
    ),
    gauge(
      "halyard_open_requests",
      "Agent requests that wait for an answer.",
      sum(live.map(({ openRequests }) => openRequests.length)),
    ),
    gauge(
      "halyard_hook_deliveries_waiting",
      "Hook deliveries of this process that wait for their sinks.",
      waitingDeliveries(),
    ),
    {
      name: "halyard_log_position",
      help: "Position of the last event of all sessions. Counts removed events too.",
      type: "counter",
      samples: [{ value: await store.lastPosition() }],
    },
  ];
}

function countOf(records: Awaited<ReturnType<Store["list"]>>): Map<SessionState, number> {
  const counts = new Map<SessionState, number>();
  for (const { info } of records) counts.set(info.state, (counts.get(info.state) ?? 0) + 1);
  return counts;
}

/** Returns the metrics of the process, with the names that Prometheus clients use. */
function processFamilies(): MetricFamily[] {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return [
    gauge("process_resident_memory_bytes", "Resident memory of the process.", rss),
    gauge("nodejs_heap_size_used_bytes", "Heap that the process uses.", heapUsed),
    {
      name: "process_cpu_seconds_total",
      help: "CPU time of the process.",
      type: "counter",
      samples: [{ value: (user + system) / 1e6 }],
    },
    gauge("process_uptime_seconds", "Time since the start of the process.", process.uptime()),
  ];
}

function gauge(name: string, help: string, value: number): MetricFamily {
  return { name, help, type: "gauge", samples: [{ value }] };
}
