import { createHash } from "node:crypto";
import type { SearchOptions } from "../../../contracts/store.ts";
import type { SessionId } from "../../../schema/id.ts";

/** The immutable fields of a session by which a search can filter. */
export interface SessionFacets {
  readonly id: SessionId;
  readonly runtime: string;
  readonly cwd: string;
  readonly project: string | null;
}

/**
 * Returns the words by which the index selects the events of a session, separated by spaces. A filter is then an
 * additional search word, so its cost does not depend on the number of sessions.
 */
export function sessionWords({ id, runtime, cwd, project }: SessionFacets): string {
  const more = project === null ? [] : [facetWord("p", project)];
  return [idWord(id), facetWord("r", runtime), facetWord("c", cwd), ...more].join(" ");
}

/** Returns the words for the year, the month and the day of an event. */
export function timeWords(at: string): string {
  const [year, month, day] = [at.slice(0, 4), at.slice(5, 7), at.slice(8, 10)];
  return `y${year} m${year}${month} d${year}${month}${day}`;
}

/**
 * Returns lists of words. A matching event has at least one word of each list. The caller must also check the exact
 * time of each hit, and its session if more than `MAX_NAMED_SESSIONS` are selected.
 */
export function wantedWords(
  { sessions, runtime, cwd, project, since, until }: SearchOptions,
  isId: (text: string) => text is SessionId,
): string[][] {
  const isNamed = sessions !== undefined && sessions.length <= MAX_NAMED_SESSIONS;
  return [
    ...(isNamed ? [sessions.filter(isId).map(idWord)] : []),
    ...(runtime === undefined ? [] : [[facetWord("r", runtime)]]),
    ...(cwd === undefined ? [] : [[facetWord("c", cwd)]]),
    ...(project === undefined ? [] : [[facetWord("p", project)]]),
    ...(since === undefined && until === undefined ? [] : [rangeWords(since, until)]),
  ];
}

/** The maximum number of sessions that the index itself selects. */
const MAX_NAMED_SESSIONS = 200;

/** Returns the unique part of an id, which is one word. */
export function idWord(id: SessionId): string {
  return id.replace("ses_", "");
}

/** Returns a hash of a value as a single word, because a path would be split into several words. */
function facetWord(kind: "r" | "c" | "p", value: string): string {
  return `${kind}${createHash("sha256").update(value).digest("hex").slice(0, 20)}`;
}

/** Covers the days from `since` to `until` with the fewest words: uses whole years and months if possible. */
function rangeWords(since = FIRST_DAY, until = LAST_DAY): string[] {
  const words: string[] = [];
  const last = dayOf(until < LAST_DAY ? lastBefore(until) : LAST_DAY);
  for (let day = dayOf(since > FIRST_DAY ? since : FIRST_DAY); day <= last; ) {
    const [year, month, date] = [day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()];
    const text = day.toISOString();
    const [nextYear, nextMonth] = [Date.UTC(year + 1, 0, 1), Date.UTC(year, month + 1, 1)];
    const isYear = month === 0 && date === 1 && nextYear <= last.getTime() + DAY_MS;
    const isMonth = date === 1 && nextMonth <= last.getTime() + DAY_MS;
    const [y = "", m = "", d = ""] = timeWords(text).split(" ");
    words.push(isYear ? y : isMonth ? m : d);
    day = new Date(isYear ? nextYear : isMonth ? nextMonth : day.getTime() + DAY_MS);
  }
  return words;
}

/** Returns the last time before `until`, because a range does not include its end. */
export function lastBefore(until: string): string {
  return new Date(Date.parse(until) - 1).toISOString();
}

function dayOf(at: string): Date {
  return new Date(`${at.slice(0, 10)}T00:00:00.000Z`);
}

const DAY_MS = 86_400_000;
/** The default range of days to search. No log has events outside this range. */
const FIRST_DAY = "2020-01-01T00:00:00.000Z";
const LAST_DAY = "2099-12-31T00:00:00.000Z";
