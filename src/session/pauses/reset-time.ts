/**
 * Finds the time at which a usage limit resets in a text from a vendor or a runtime. Recognizes delays (`try again in
 * 6m0s`), times of day with or without a date (`resets 3am (UTC)`), and timestamps. Returns undefined if the text
 * contains none of them.
 */
export function resetTimeIn(text: string, now: Date): Date | undefined {
  return timestampIn(text) ?? delayIn(text, now) ?? clockTimeIn(text, now);
}

function timestampIn(text: string): Date | undefined {
  const iso = /\b(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))/.exec(
    text,
  )?.[1];
  // Claude Code before 2.1 appends the Unix time: `usage limit reached|1794917918`.
  const unix = /\|(\d{10})\b/.exec(text)?.[1];
  if (iso !== undefined) return new Date(iso);
  return unix === undefined ? undefined : new Date(Number(unix) * 1000);
}

const UNITS = "(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s|milliseconds?|ms)";
const DELAY = new RegExp(
  `(?:(?:again|retry|resets?|reset|available|wait)\\b[^.\\d]{0,24}?|requested )((?:\\d+(?:\\.\\d+)?\\s*${UNITS}\\b[\\s,]*(?:and )?)+|\\d+(?:\\.\\d+)?\\s*${UNITS}(?:\\d+(?:\\.\\d+)?\\s*${UNITS})+)`,
  "i",
);
const PART =
  /(\d+(?:\.\d+)?)\s*(milliseconds?|ms|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)/gi;

function delayIn(text: string, now: Date): Date | undefined {
  const found = DELAY.exec(text)?.[1];
  if (found === undefined) return undefined;
  let delayMs = 0;
  for (const [, amount, unit = ""] of found.matchAll(PART))
    delayMs += Number(amount) * msOf(unit.toLowerCase());
  return delayMs > 0 ? new Date(now.getTime() + delayMs) : undefined;
}

function msOf(unit: string): number {
  if (unit.startsWith("ms") || unit.startsWith("milli")) return 1;
  if (unit.startsWith("s")) return 1000;
  if (unit.startsWith("m")) return 60_000;
  return unit.startsWith("h") ? 3_600_000 : 86_400_000;
}

const CLOCK =
  /(?:again|resets?|reset|available)\b[^.\d]{0,24}?(?:([A-Z][a-z]{2,8}) (\d{1,2})(?:st|nd|rd|th)?,? (?:(\d{4}),? )?(?:at )?)?(\d{1,2})(?::(\d\d))?\s*([ap]m)\b(?:\s*\(?(UTC|GMT)\b)?/i;

/**
 * Reads a time of day in the time zone of this machine, or in UTC if "UTC" or "GMT" follows. If the text contains no
 * date, returns the next occurrence of this time.
 */
function clockTimeIn(text: string, now: Date): Date | undefined {
  const [whole, month, day, year, hour, minute = "0", half = "", zone] = CLOCK.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const hours = (Number(hour) % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
  const suffix = zone === undefined ? "" : " UTC";
  if (month !== undefined) {
    const dated = new Date(
      `${month.slice(0, 3)} ${day}, ${year ?? now.getFullYear()} ${hours}:${minute.padStart(2, "0")}${suffix}`,
    );
    return Number.isNaN(dated.getTime()) ? undefined : dated;
  }
  const time = new Date(now);
  if (zone === undefined) time.setHours(hours, Number(minute), 0, 0);
  else time.setUTCHours(hours, Number(minute), 0, 0);
  // The text has no seconds, so a time in the current minute is not treated as past.
  if (time.getTime() <= now.getTime() - 60_000) time.setTime(time.getTime() + 86_400_000);
  return time.getTime() <= now.getTime() ? new Date(time.getTime() + 60_000) : time;
}
