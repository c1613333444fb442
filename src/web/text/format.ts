export { formatCount, formatDuration } from "../../schema/usage/format.ts";

/** Formats an age in one unit without a space, for narrow columns: `now`, `12s`, `5m`, `3h`, `8d`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 5) return "now";
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** Formats a cost in dollars. Returns an empty string if it is 0 or unknown. */
export function formatCost(costUsd = 0): string {
  return costUsd === 0 ? "" : `$${costUsd.toFixed(costUsd < 0.01 ? 3 : 2)}`;
}

/** Formats the time of day: `12:04`. */
export function formatTime(at: string): string {
  return new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
}

/** Formats the time until an event: `45 s`, `12 min`, `1 h 40 min`, `3 d 8 h`. */
export function formatLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  if (seconds < 60) return `${seconds} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24
    ? `${hours} h ${minutes % 60} min`
    : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Formats a time in the future: `17:40` today, `Fri 17:40` later. */
export function formatResetTime(at: string, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  const day = new Date(at).toLocaleDateString([], { weekday: "short" });
  return isToday ? formatTime(at) : `${day} ${formatTime(at)}`;
}

/** Formats a date and a time for tooltips. */
export function formatMoment(at: string): string {
  return new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "medium" });
}

/** Returns a count with its noun: `1 line`, `214 lines`. */
export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
