import type { Usage } from "../schema/outcome.ts";

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

export function addUsage(one: Usage, other: Usage): Usage {
  const sum: Usage = { ...one };
  for (const name of names) {
    const value = other[name];
    if (value !== undefined) sum[name] = (sum[name] ?? 0) + value;
  }
  return sum;
}

const named: Record<keyof Usage, 1> = {
  inputTokens: 1,
  outputTokens: 1,
  cacheReadTokens: 1,
  cacheWriteTokens: 1,
  reasoningTokens: 1,
  costUsd: 1,
};
const names = Object.keys(named) as (keyof Usage)[];

/** Runtimes tell zeros of what they know nothing of, such as the price of a model that is not their own. */
export function tidyUsage({ inputTokens, outputTokens, ...more }: Usage): Usage {
  const known = Object.entries(more).filter(([, value]) => value !== undefined && value > 0);
  return { inputTokens, outputTokens, ...Object.fromEntries(known) };
}
