import type { Usage } from "../../../schema/outcome.ts";
import { addUsage, noUsage, tidyUsage } from "../../../schema/usage/usage.ts";
import type { TokenUsage } from "../messages.ts";

interface TurnUsage {
  readonly tokenUsage?: TokenUsage | undefined;
  readonly cumulativeTokenUsage?: TokenUsage | undefined;
  readonly childTokenUsage?: TokenUsage | undefined;
}

/** Computes the usage of each turn. Droid reports some turns only as part of a running total. */
export class TurnUsages {
  #total = noUsage;

  of({ tokenUsage, cumulativeTokenUsage, childTokenUsage }: TurnUsage): Usage {
    const before = this.#total;
    const after = toUsage(cumulativeTokenUsage);
    if (cumulativeTokenUsage) this.#total = after;
    const own = tokenUsage ? toUsage(tokenUsage) : difference(after, before);
    return addUsage(own, toUsage(childTokenUsage));
  }
}

function toUsage(usage: TokenUsage | undefined): Usage {
  if (usage === undefined) return noUsage;
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, thinkingTokens } = usage;
  return tidyUsage({
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens: cacheCreationTokens,
    reasoningTokens: thinkingTokens,
  });
}

function difference(now: Usage, before: Usage): Usage {
  const less = (name: keyof Usage): number => Math.max(0, (now[name] ?? 0) - (before[name] ?? 0));
  return tidyUsage({
    inputTokens: less("inputTokens"),
    outputTokens: less("outputTokens"),
    cacheReadTokens: less("cacheReadTokens"),
    cacheWriteTokens: less("cacheWriteTokens"),
    reasoningTokens: less("reasoningTokens"),
  });
}
