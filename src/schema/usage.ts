import type { Usage } from "./outcome.ts";

/** The usage of a turn that has used nothing. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

/** Adds two usages. A field that only one of them has is kept. */
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

/**
 * Removes zeros of optional fields: runtimes report 0 for values that they do not know, such as the price of a custom
 * model.
 */
export function tidyUsage({ inputTokens, outputTokens, ...more }: Usage): Usage {
  const known = Object.entries(more).filter(([, value]) => value !== undefined && value > 0);
  return { inputTokens, outputTokens, ...Object.fromEntries(known) };
}
