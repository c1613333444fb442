import type { Usage } from "../../schema/outcome.ts";
import type { TokenUsage } from "./messages.ts";

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

interface TurnUsage {
  readonly tokenUsage?: TokenUsage | undefined;
  readonly cumulativeTokenUsage?: TokenUsage | undefined;
  readonly childTokenUsage?: TokenUsage | undefined;
}

/** What turns cost, each by itself, although some are told as a part of the running total only. */
export class TurnUsages {
  #total = noUsage;

  of({ tokenUsage, cumulativeTokenUsage, childTokenUsage }: TurnUsage): Usage {
    const before = this.#total;
    const after = toUsage(cumulativeTokenUsage);
    if (cumulativeTokenUsage) this.#total = after;
    const own = tokenUsage
      ? toUsage(tokenUsage)
      : combine(after, before, (a, b) => Math.max(0, a - b));
    return addUsage(own, toUsage(childTokenUsage));
  }
}

export function addUsage(one: Usage, other: Usage): Usage {
  return combine(one, other, (a, b) => a + b);
}

function toUsage(usage: TokenUsage | undefined): Usage {
  if (usage === undefined) return noUsage;
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, thinkingTokens } = usage;
  return {
    inputTokens,
    outputTokens,
    ...(cacheReadTokens && { cacheReadTokens }),
    ...(cacheCreationTokens && { cacheWriteTokens: cacheCreationTokens }),
    ...(thinkingTokens && { reasoningTokens: thinkingTokens }),
  };
}

function combine(one: Usage, other: Usage, merge: (a: number, b: number) => number): Usage {
  const sum = (name: keyof Usage): number => merge(one[name] ?? 0, other[name] ?? 0);
  const optional = ["cacheReadTokens", "cacheWriteTokens", "reasoningTokens"] as const;
  const parts = optional.flatMap((name) => (sum(name) > 0 ? [[name, sum(name)] as const] : []));
  return {
    inputTokens: sum("inputTokens"),
    outputTokens: sum("outputTokens"),
    ...Object.fromEntries(parts),
  };
}
