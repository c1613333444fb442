import { noUsage, tidyUsage } from "../../core/usage.ts";
import type { Usage } from "../../schema/outcome.ts";
import type { TurnUsage, Update } from "./messages.ts";

/** What a turn costs: in tokens as the agent says at its end, in money out of a running total. */
export class UsageMeter {
  #total: number | undefined;
  #before: number | undefined;

  /** A turn begins. */
  begin(): void {
    this.#before = this.#total;
  }

  note({ cost }: Update<"usage_update">): void {
    if (cost?.currency === "USD") this.#total = cost.amount;
  }

  /** The first turn of a session that we were there for from its start began at nothing. */
  usage(told: TurnUsage | undefined, { isFirst }: { isFirst: boolean }): Usage | undefined {
    const before = this.#before ?? (isFirst ? 0 : undefined);
    const isKnown = this.#total !== undefined && before !== undefined && this.#total >= before;
    if (told === undefined && !isKnown) return undefined;
    return {
      ...(told ? tokens(told) : noUsage),
      ...(isKnown && { costUsd: (this.#total ?? 0) - (before ?? 0) }),
    };
  }
}

/** Some count what came from a cache as input too: the total tells which. */
function tokens(told: TurnUsage): Usage {
  const [input, output] = [whole(told.inputTokens), whole(told.outputTokens)];
  const [read, write] = [whole(told.cachedReadTokens), whole(told.cachedWriteTokens)];
  const thought = whole(told.thoughtTokens);
  const isCountedTwice =
    told.totalTokens != null && input + output + read + write > told.totalTokens;
  return tidyUsage({
    inputTokens: isCountedTwice ? Math.max(0, input - read - write) : input,
    outputTokens: output,
    cacheReadTokens: read,
    cacheWriteTokens: write,
    reasoningTokens: thought,
  });
}

function whole(count: number | null | undefined): number {
  return count != null && count > 0 ? Math.round(count) : 0;
}
