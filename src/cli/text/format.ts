import { homedir } from "node:os";
import type { Usage } from "../../schema/outcome.ts";
import { formatCount } from "../../schema/usage/format.ts";
import { totalTokens } from "../../schema/usage/usage.ts";

export { formatCount, formatDuration } from "../../schema/usage/format.ts";

/** Formats an age in one unit: `12 s`, `5 min`, `3 h`, `8 d`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** Formats a time in the time zone of this machine: `15:04`, or `2026-11-18 15:04` if it is not today. */
export function formatTime(at: string, now = new Date()): string {
  const time = new Date(at);
  const pad = (value: number) => String(value).padStart(2, "0");
  const day = (date: Date) =>
    `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  const clock = `${pad(time.getHours())}:${pad(time.getMinutes())}`;
  return day(time) === day(now) ? clock : `${day(time)} ${clock}`;
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

/** Formats a number with its noun: `1 file`, `12 files`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Formats token counts: `1.2k tokens in, 340 out`. Returns an empty string if there are none. */
export function formatTokens(usage: Usage): string {
  const { outputTokens } = usage;
  const input = totalTokens(usage) - outputTokens;
  return input + outputTokens === 0
    ? ""
    : `${formatCount(input)} ${input === 1 ? "token" : "tokens"} in, ${formatCount(outputTokens)} out`;
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

/** Returns the first line of a text without surrounding whitespace. */
export function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]?.trim() ?? "";
}
