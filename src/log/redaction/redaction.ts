import {
  createSealedMatcher,
  nothingSealed,
  type SealedSecrets,
  sealedBeside,
} from "./sealed-secrets.ts";
import { formsOf } from "./secret-forms.ts";
import { createSecretMatcher, type SecretMatcher } from "./secret-matcher.ts";
import { hasGaps, indexInWrapped, type Range, visitGaps, withoutGaps } from "./text-gaps.ts";

/** Replaces known secrets in values before they are written. */
export interface Redactor {
  /**
   * Returns the value with every secret replaced, also in property names. Returns the value itself if it contains none.
   */
  redact<T>(value: T): T;
  /** Returns a redactor for a text that arrives in pieces. It also finds secrets that are split between pieces. */
  stream(): StreamRedactor;
}

/** Redacts a text that arrives in pieces. */
export interface StreamRedactor {
  /** Returns the text that can be written. Buffers a suffix that may be the start of a secret. */
  push(piece: string): string;
  /** Returns the buffered text at the end of the input. */
  flush(): string;
}

/** The text that replaces a secret. */
export const REDACTED = "[redacted]";

/** Creates a redactor for the secrets in all their encodings, and for secrets of which only hashes are known. */
export function createRedactor(
  secrets: Iterable<string>,
  sealed: SealedSecrets = nothingSealed,
): Redactor {
  const known = [...new Set([...secrets].flatMap(formsOf))];
  const unknown = sealedBeside(sealed, known);
  const matchers = [
    ...(known.length > 0 ? [createSecretMatcher(known)] : []),
    ...(unknown.secrets.length > 0 ? [createSealedMatcher(unknown)] : []),
  ];
  if (matchers.length === 0) return { redact: (value) => value, stream: passThrough };
  const clean = (text: string): string => hide(text, findSecrets(text, matchers));
  return {
    redact: (value) => redactDeep(value, clean),
    stream: () => holdBack(matchers),
  };
}

/** Returns the ranges of secrets, in order and without overlaps. */
function findSecrets(text: string, matchers: readonly SecretMatcher[]): readonly Range[] {
  const isWrapped = hasGaps(text);
  let found = NONE;
  for (const matcher of matchers) {
    const more = isWrapped ? findWrapped(text, matcher) : matcher.find(text);
    if (more.length > 0) found = [...found, ...more];
  }
  return found.length < 2 ? found : united(found);
}

/**
 * Finds secrets in a text that has gaps. Unwraps only the text around gaps that a secret may cross; most texts have no
 * such gap. Unwraps the whole text if the matcher has no `mayCross`.
 */
function findWrapped(text: string, matcher: SecretMatcher): readonly Range[] {
  if (!matcher.mayCross) return findUnwrapped(text, matcher);
  const found = [...matcher.find(text)];
  for (const { start, end } of crossedParts(text, matcher))
    for (const inside of findUnwrapped(text.slice(start, end), matcher))
      found.push({ start: start + inside.start, end: start + inside.end });
  return found;
}

/**
 * Returns the parts of a text around the gaps (see `GAP`) that a secret may cross. Overlapping parts are joined, so that
 * no character is searched twice.
 */
function crossedParts(text: string, { mayCross, longest }: SecretMatcher): readonly Range[] {
  const parts: { start: number; end: number }[] = [];
  const reach = REACH * longest;
  visitGaps(text, (gapStart, gapEnd) => {
    if (!mayCross?.(text, gapStart, gapEnd)) return;
    const start = Math.max(0, gapStart - reach);
    const end = gapEnd + reach;
    const last = parts.at(-1);
    if (last && last.start <= start && start <= last.end) last.end = Math.max(last.end, end);
    else parts.push({ start, end });
  });
  return parts;
}

function findUnwrapped(text: string, matcher: SecretMatcher): readonly Range[] {
  const inside = matcher.find(withoutGaps(text));
  if (inside.length === 0) return NONE;
  const index = indexInWrapped(text);
  return inside.map(({ start, end }) => ({ start: index(start), end: index(end - 1) + 1 }));
}

/** The maximum factor by which gaps can lengthen a secret. */
const REACH = 8;

function united(ranges: readonly Range[]): Range[] {
  const apart: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = apart.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else apart.push({ start, end });
  }
  return apart;
}

const NONE: readonly Range[] = [];

function hide(text: string, secrets: readonly Range[]): string {
  if (secrets.length === 0) return text;
  let hidden = "";
  let written = 0;
  for (const { start, end } of secrets) {
    hidden += text.slice(written, start) + REDACTED;
    written = end;
  }
  return hidden + text.slice(written);
}

function passThrough(): StreamRedactor {
  return { push: (piece) => piece, flush: () => "" };
}

/** Redacts a nested value. Copies only the changed parts; a value without secrets is returned as it is. */
function redactDeep<T>(value: T, clean: (text: string) => string): T;
function redactDeep(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => redactDeep(item, clean));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value !== "object" || value === null) return value;
  let changed = false;
  const entries = Object.entries(value).map(([key, item]) => {
    const cleaned = [clean(key), redactDeep(item, clean)];
    changed ||= cleaned[0] !== key || cleaned[1] !== item;
    return cleaned;
  });
  return changed ? Object.fromEntries(entries) : value;
}

function holdBack(matchers: readonly SecretMatcher[]): StreamRedactor {
  let held = "";
  return {
    push(piece) {
      const text = held + piece;
      const secrets = findSecrets(text, matchers);
      const keepFrom = firstOpen(text, secrets, matchers);
      held = text.slice(keepFrom);
      if (secrets.length === 0) return text.slice(0, keepFrom);
      return hide(
        text.slice(0, keepFrom),
        secrets.filter(({ end }) => end <= keepFrom),
      );
    },
    flush() {
      const rest = hide(held, findSecrets(held, matchers));
      held = "";
      return rest;
    },
  };
}

/**
 * Returns the index of the suffix that may be the start of a secret, or the length of the text if there is none. If a
 * found secret overlaps the suffix, returns the index of that secret, because it may become part of a longer range.
 */
function firstOpen(
  text: string,
  secrets: readonly Range[],
  matchers: readonly SecretMatcher[],
): number {
  const longest = Math.max(...matchers.map((matcher) => matcher.longest));
  const from = tailStart(text, longest);
  const tail = text.slice(from);
  const unwrapped = hasGaps(tail) ? withoutGaps(tail) : tail;
  let partial = partialStart(unwrapped, matchers);
  const before = unwrapped.replace(CUT_GAP, "");
  if (before !== unwrapped) {
    const start = partialStart(before, matchers);
    if (start < before.length) partial = Math.min(partial, start);
  }
  if (partial === unwrapped.length) return text.length;
  const start = from + (unwrapped === tail ? partial : indexInWrapped(tail)(partial));
  // many blank lines must not delay the text indefinitely
  if (text.length - start > REACH * longest) return text.length;
  return secrets.find((secret) => secret.start < start && start < secret.end)?.start ?? start;
}

/** Returns the start of a tail with at least `length` characters outside gaps, or 0 if the text has fewer. */
function tailStart(text: string, length: number): number {
  for (let size = 2 * (length + LONGEST_CUT); size < text.length; size *= 2) {
    const tail = text.slice(-size);
    if (!hasGaps(tail) || withoutGaps(tail).length >= length + LONGEST_CUT)
      return text.length - size;
  }
  return 0;
}

/** The length of the longest `CUT_GAP`. */
const LONGEST_CUT = 3;

/** The end of a text that may be the start of a gap. */
const CUT_GAP = /(?:\r|\\r?|\\r\\)$/;

function partialStart(text: string, matchers: readonly SecretMatcher[]): number {
  let first = text.length;
  for (const matcher of matchers) first = Math.min(first, matcher.partialStart(text));
  return first;
}
