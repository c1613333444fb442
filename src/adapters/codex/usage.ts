import { tidyUsage } from "../../core/usage.ts";
import type { Usage } from "../../schema/outcome.ts";
import type { TokenCount } from "./messages.ts";

/**
 * What a turn costs, out of running totals per thread: those of its sub-agents count too. Codex repeats a total
 * when a stream breaks off, so only the difference counts.
 */
export class UsageMeter {
  readonly #totals = new Map<string, TokenCount>();
  #bases = new Map<string, TokenCount>();

  /** A turn begins. */
  reset(): void {
    this.#bases = new Map();
  }

  /** Says whether there was anything new in it. */
  note(threadId: string, { total, last }: { total: TokenCount; last: TokenCount }): boolean {
    const before = this.#totals.get(threadId) ?? difference(total, last);
    if (!this.#bases.has(threadId)) this.#bases.set(threadId, before);
    this.#totals.set(threadId, total);
    return total.inputTokens > before.inputTokens || total.outputTokens > before.outputTokens;
  }

  /** A total told between two turns, such as what a resumed thread has cost before. */
  noteIdle(threadId: string, total: TokenCount): void {
    this.#totals.set(threadId, total);
  }

  get usage(): Usage {
    let sum = nothing;
    for (const [threadId, base] of this.#bases)
      sum = plus(sum, difference(this.#totals.get(threadId) ?? base, base));
    return toUsage(sum);
  }
}

const nothing: TokenCount = {
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

/** Codex counts what came from a cache, or went into one, as input once more. */
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
