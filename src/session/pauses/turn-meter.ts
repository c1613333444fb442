import type { Usage } from "../../schema/outcome.ts";
import { addUsage, noUsage, totalTokens } from "../../schema/usage/usage.ts";

/**
 * Adds up the usage of a turn. A turn that was suspended consists of several native turns, each of which reports its
 * own usage at its end and, on some runtimes, while it runs. The log contains totals for the whole turn, so a restored
 * meter counts nothing twice.
 */
export class TurnMeter {
  readonly #estimate: (usage: Usage) => Usage;
  /** The usage of the native turns that have ended. */
  #before = noUsage;
  /** The usage of the whole turn, as of the last report of the running native turn. */
  #reported: Usage | undefined;
  #hasNews = false;

  /** `estimate` adds an estimate of the cost if the runtime reports no cost. */
  constructor(estimate: (usage: Usage) => Usage = (usage) => usage) {
    this.#estimate = estimate;
  }

  /** Records the usage of the native turn so far, and returns the usage of the whole turn. */
  report(usage: Usage): Usage {
    this.#hasNews = true;
    const next = addUsage(this.#before, this.#estimate(usage));
    // After an attach during a very long turn, the runtime's output starts in the middle, so its reports may be too
    // low.
    const isLess = this.#reported !== undefined && totalTokens(next) < totalTokens(this.#reported);
    if (!isLess) this.#reported = next;
    return this.#reported ?? next;
  }

  /** True if usage was reported since the last call of this method. */
  takeNews(): boolean {
    const hasNews = this.#hasNews;
    this.#hasNews = false;
    return hasNews;
  }

  /** Ends a native turn and returns the usage of the whole turn. */
  endPart(usage: Usage | undefined): Usage {
    this.#before = this.total(usage);
    this.#reported = undefined;
    return this.#before;
  }

  /** Restores the usage of the ended native turns from the log. */
  restoreParts(total: Usage): void {
    this.#before = total;
    this.#reported = undefined;
  }

  /** Restores the last usage report from the log. */
  restoreReport(total: Usage): void {
    this.#reported = total;
  }

  /**
   * Returns the usage of the whole turn. `last` is the final report of the running native turn, if it has ended. At the
   * end of an interrupted turn, a runtime may report less than before; the larger report is then used. A cost in `last`
   * always takes precedence.
   */
  total(last?: Usage): Usage {
    const reported = this.#reported;
    if (last === undefined) return reported ?? this.#before;
    const final = addUsage(this.#before, this.#estimate(last));
    if (reported === undefined || totalTokens(final) >= totalTokens(reported)) return final;
    const { estimatedCostUsd: _, ...counted } = reported;
    return final.costUsd === undefined ? reported : { ...counted, costUsd: final.costUsd };
  }
}
