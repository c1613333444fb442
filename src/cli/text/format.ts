import { homedir } from "node:os";
import type { Usage } from "../../schema/outcome.ts";

/** Formats a duration: `850 ms`, `2.4 s`, `3 min 12 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${(ms / 1000).toFixed(1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** Formats an age in one unit: `12 s`, `5 min`, `3 h`, `8 d`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** Formats a number: `950`, `1.2k`, `34k`, `1.5M`. */
export function formatCount(value: number): string {
  if (value < 1000) return String(value);
  if (value < 9950) return `${(value / 1000).toFixed(1)}k`;
  if (value < 999_500) return `${Math.round(value / 1000)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

/** Formats a size: `950 B`, `1.2 KB`, `34.0 MB`, `1.5 GB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  for (const unit of ["B", "KB", "MB"]) {
    if (value < 1000) return `${unit === "B" ? value : value.toFixed(1)} ${unit}`;
    value /= 1000;
  }
  return `${value.toFixed(1)} GB`;
}

/** Formats token counts: `1.2k tokens in, 340 out`. Returns an empty string if there are none. */
export function formatTokens({ inputTokens, outputTokens, cacheReadTokens = 0 }: Usage): string {
  const input = inputTokens + cacheReadTokens;
  return input + outputTokens === 0
    ? ""
    : `${formatCount(input)} tokens in, ${formatCount(outputTokens)} out`;
}

/** Formats a cost in dollars. Returns an empty string if it is 0 or unknown. */
export function formatCost({ costUsd = 0 }: Usage): string {
  return costUsd === 0 ? "" : `$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`;
}

/** Writes the home directory at the start of a path as `~`. */
export function abbreviateHome(path: string, home = homedir()): string {
  if (path === home) return "~";
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** Returns the first line of a text, without blanks around it. */
export function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]?.trim() ?? "";
}
