import { InvalidArgumentError } from "commander";

/** Parses an age in days or weeks, or a date. Returns a day in UTC. */
export function toFirstDay(text: string, now: Date): string {
  const [, count, unit] = /^(\d{1,4})([dw])$/.exec(text) ?? [];
  const days = Number(count) * (unit === "w" ? 7 : 1);
  const date = count === undefined ? new Date(`${text}T00:00:00Z`) : new Date(now);
  // An age includes today: 1d is today only.
  if (count !== undefined) date.setUTCDate(date.getUTCDate() - Math.max(0, days - 1));
  const day = Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, "2026-11-17".length);
  if (day !== "" && (count !== undefined || day === text)) return day;
  throw new InvalidArgumentError("Expected an age such as 7d or 4w, or a date such as 2026-11-10.");
}
