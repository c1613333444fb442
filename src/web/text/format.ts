import type { Usage } from "../../schema/outcome.ts";

/** Formats a duration: `850 ms`, `2.4 s`, `3 min 12 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${(ms / 1000).toFixed(1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** Formats an age in one unit without a space, for narrow columns: `now`, `12s`, `5m`, `3h`, `8d`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 5) return "now";
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** Formats a number: `950`, `1.2k`, `34k`, `1.5M`. */
export function formatCount(value: number): string {
  if (value < 1000) return String(value);
  if (value < 9950) return `${(value / 1000).toFixed(1)}k`;
  if (value < 999_500) return `${Math.round(value / 1000)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

/** Formats a cost in dollars. Returns an empty string if it is 0 or unknown. */
export function formatCost(costUsd = 0): string {
  return costUsd === 0 ? "" : `$${costUsd.toFixed(costUsd < 0.01 ? 3 : 2)}`;
}

/** Returns all tokens of a usage, including those that were read from a cache. */
export function tokensOf({ inputTokens, outputTokens, cacheReadTokens = 0 }: Usage): number {
  return inputTokens + cacheReadTokens + outputTokens;
}

/** Formats the time of day: `12:04`. */
export function formatTime(at: string): string {
  return new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
}

/** Formats a date and a time for tooltips. */
export function formatMoment(at: string): string {
  return new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "medium" });
}

/** Returns a count with its noun: `1 line`, `214 lines`. */
export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
