import type { MetricFamily } from "./exposition.ts";

/** Counts durations in buckets, for a Prometheus histogram in seconds. */
export class DurationHistogram {
  readonly #counts = bounds.map(() => 0);
  #count = 0;
  #seconds = 0;

  record(ms: number): void {
    const seconds = ms / 1000;
    this.#count++;
    this.#seconds += seconds;
    const bucket = bounds.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
  }

  toFamily(name: string, help: string): MetricFamily {
    let below = 0;
    const buckets = bounds.map((bound, index) => {
      below += this.#counts[index] ?? 0;
      return { suffix: "_bucket", labels: { le: String(bound) }, value: below };
    });
    return {
      name,
      help,
      type: "histogram",
      samples: [
        ...buckets,
        { suffix: "_bucket", labels: { le: "+Inf" }, value: this.#count },
        { suffix: "_sum", value: this.#seconds },
        { suffix: "_count", value: this.#count },
      ],
    };
  }
}

/** The bucket bounds in seconds: from one fast commit to a store that waits for a slow disk. */
const bounds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];
