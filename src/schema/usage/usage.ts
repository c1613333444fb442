import type { Usage } from "../outcome.ts";
import type { TurnUsage } from "./usage-report.ts";

/** An empty usage. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

/** Adds two usages. A field that is set in only one of them is copied. */
export function addUsage(one: Usage, other: Usage): Usage {
  const sum: Usage = { ...one };
  for (const name of usageFields) {
    const value = other[name];
    if (value !== undefined) sum[name] = (sum[name] ?? 0) + value;
  }
  return sum;
}

/** Returns the total number of tokens. Reasoning tokens are already part of the output tokens. */
export function totalTokens(usage: Usage): number {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
}

/** Adds up the usage, the number and the duration of turns. */
export function addTurnUsage(
  one: TurnUsage = { ...noUsage, turns: 0, durationMs: 0 },
  other: TurnUsage,
): TurnUsage {
  const turns = one.turns + other.turns;
  return { ...addUsage(one, other), turns, durationMs: one.durationMs + other.durationMs };
}

/** Returns the reported cost plus the estimated cost, or undefined if neither is known. */
export function knownCostUsd({ costUsd, estimatedCostUsd }: Usage): number | undefined {
  if (costUsd === undefined) return estimatedCostUsd;
  return costUsd + (estimatedCostUsd ?? 0);
}

const named: Record<keyof Usage, 1> = {
  inputTokens: 1,
  outputTokens: 1,
  cacheReadTokens: 1,
  cacheWriteTokens: 1,
  reasoningTokens: 1,
  costUsd: 1,
  estimatedCostUsd: 1,
};
/** The names of the fields of a usage. */
export const usageFields = Object.keys(named) as readonly (keyof Usage)[];

/**
 * Removes optional fields that are 0, because runtimes report 0 for values that they do not know, such as the cost of a
 * custom model.
 */
export function tidyUsage({ inputTokens, outputTokens, ...more }: Usage): Usage {
  const known = Object.entries(more).filter(([, value]) => value !== undefined && value > 0);
  return { inputTokens, outputTokens, ...Object.fromEntries(known) };
}
