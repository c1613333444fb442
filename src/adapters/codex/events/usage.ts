import type { Usage } from "../../../schema/outcome.ts";
import { tidyUsage } from "../../../schema/usage/usage.ts";
import type { TokenCount } from "../messages.ts";

/**
 * Computes a turn's usage from running totals per thread, including subagents' threads. Codex repeats a total when a
 * stream is interrupted, so only differences are added.
 */
export class UsageMeter {
  readonly #totals = new Map<string, TokenCount>();
  #bases = new Map<string, TokenCount>();

  /** Starts a new turn. */
  reset(): void {
    this.#bases = new Map();
  }

  /** Records a total. Returns true if it increased. */
  record(threadId: string, { total, last }: { total: TokenCount; last: TokenCount }): boolean {
    const before = this.#totals.get(threadId) ?? difference(total, last);
    if (!this.#bases.has(threadId)) this.#bases.set(threadId, before);
    this.#totals.set(threadId, total);
    return total.inputTokens > before.inputTokens || total.outputTokens > before.outputTokens;
  }

  /** Records a total between two turns, such as the previous usage of a resumed thread. */
  recordIdle(threadId: string, total: TokenCount): void {
    this.#totals.set(threadId, total);
  }

  get usage(): Usage {
    let sum = noTokens;
    for (const [threadId, base] of this.#bases)
      sum = plus(sum, difference(this.#totals.get(threadId) ?? base, base));
    return toUsage(sum);
  }
}

const noTokens: TokenCount = {
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  reasoningOutputTokens: 0,
};

function difference(now: TokenCount, before: TokenCount): TokenCount {
  return combine(now, before, (a, b) => Math.max(0, a - b));
}

function plus(one: TokenCount, other: TokenCount): TokenCount {
  return combine(one, other, (a, b) => a + b);
}

function combine(a: TokenCount, b: TokenCount, f: (a: number, b: number) => number): TokenCount {
  return {
    inputTokens: f(a.inputTokens, b.inputTokens),
    outputTokens: f(a.outputTokens, b.outputTokens),
    cachedInputTokens: f(a.cachedInputTokens, b.cachedInputTokens),
    cacheWriteInputTokens: f(a.cacheWriteInputTokens, b.cacheWriteInputTokens),
    reasoningOutputTokens: f(a.reasoningOutputTokens, b.reasoningOutputTokens),
  };
}

/** Subtracts cached tokens, which Codex also counts as input. */
function toUsage(count: TokenCount): Usage {
  const { inputTokens, outputTokens } = count;
  const { cachedInputTokens, cacheWriteInputTokens, reasoningOutputTokens } = count;
  return tidyUsage({
    inputTokens: Math.max(0, inputTokens - cachedInputTokens - cacheWriteInputTokens),
    outputTokens,
    cacheReadTokens: cachedInputTokens,
    cacheWriteTokens: cacheWriteInputTokens,
    reasoningTokens: reasoningOutputTokens,
  });
}
