import type { Usage } from "../../../schema/outcome.ts";
import { noUsage, tidyUsage } from "../../../schema/usage/usage.ts";
import type { AcpTurnUsage, Update } from "../messages.ts";

/** Computes a turn's usage: the tokens that the agent reports at the end, and the increase of the session's total cost. */
export class UsageMeter {
  #total: number | undefined;
  #before: number | undefined;

  /** Must be called at the start of a turn. */
  begin(): void {
    this.#before = this.#total;
  }

  record({ cost }: Update<"usage_update">): void {
    if (cost?.currency === "USD") this.#total = cost.amount;
  }

  /**
   * Returns the turn's usage, or undefined if neither tokens nor a cost are known. In a session's first turn, the total
   * cost starts at zero.
   */
  usage(reported: AcpTurnUsage | undefined, { isFirst }: { isFirst: boolean }): Usage | undefined {
    const before = this.#before ?? (isFirst ? 0 : undefined);
    const isKnown = this.#total !== undefined && before !== undefined && this.#total >= before;
    if (reported === undefined && !isKnown) return undefined;
    return {
      ...(reported ? tokens(reported) : noUsage),
      ...(isKnown && { costUsd: (this.#total ?? 0) - (before ?? 0) }),
    };
  }
}

/**
 * Converts token counts. If the counts add up to more than the reported total, the input count includes cached tokens.
 * The function then subtracts the cached tokens.
 */
function tokens(reported: AcpTurnUsage): Usage {
  const [input, output] = [toCount(reported.inputTokens), toCount(reported.outputTokens)];
  const [read, write] = [toCount(reported.cachedReadTokens), toCount(reported.cachedWriteTokens)];
  const thought = toCount(reported.thoughtTokens);
  const isCountedTwice =
    reported.totalTokens != null && input + output + read + write > reported.totalTokens;
  return tidyUsage({
    inputTokens: isCountedTwice ? Math.max(0, input - read - write) : input,
    outputTokens: output,
    cacheReadTokens: read,
    cacheWriteTokens: write,
    reasoningTokens: thought,
  });
}

function toCount(count: number | null | undefined): number {
  return count != null && count > 0 ? Math.round(count) : 0;
}
