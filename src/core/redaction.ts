import {
  createSealedMatcher,
  nothingSealed,
  type SealedSecrets,
  sealedBeside,
} from "./sealed-secrets.ts";
import { formsOf } from "./secret-forms.ts";
import { createSecretMatcher, type SecretMatcher } from "./secret-matcher.ts";
import { hasGaps, indexInWrapped, type Range, visitGaps, withoutGaps } from "./text-gaps.ts";

/** Takes known secrets out of what is about to be written down. */
export interface Redactor {
  /** The value with every secret replaced, or the value itself if it has none. */
  redact<T>(value: T): T;
  /** For a text that comes in pieces: finds secrets that were cut, too. */
  stream(): StreamRedactor;
}

export interface StreamRedactor {
  /** Returns what of the text so far may be written. Holds back what may be the beginning of a secret. */
  push(piece: string): string;
  /** Returns what was held back, once no more text comes. */
  flush(): string;
}

export const REDACTED = "[redacted]";

/** Hides the secrets in all their forms, and others that were sealed by a process that knew them. */
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

/** Where the text has secrets: in order, without overlaps. */
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
 * Secrets in a text that has gaps. It is unwrapped as a whole, or if the matcher can tell, only around gaps that a secret
 * may cross: most texts have none.
 */
function findWrapped(text: string, matcher: SecretMatcher): readonly Range[] {
  if (!matcher.mayCross) return findUnwrapped(text, matcher);
  const found = [...matcher.find(text)];
  const reach = REACH * matcher.longest;
  visitGaps(text, (start, end) => {
    if (!matcher.mayCross?.(text, start, end)) return;
    const from = Math.max(0, start - reach);
    for (const inside of findUnwrapped(text.slice(from, end + reach), matcher))
      found.push({ start: from + inside.start, end: from + inside.end });
  });
  return found;
}

function findUnwrapped(text: string, matcher: SecretMatcher): readonly Range[] {
  const inside = matcher.find(withoutGaps(text));
  if (inside.length === 0) return NONE;
  const index = indexInWrapped(text);
  return inside.map(({ start, end }) => ({ start: index(start), end: index(end - 1) + 1 }));
}

/** How much longer a secret may become by its gaps. */
const REACH = 4;

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

/** Copies only what changes, so that a value without secrets costs a walk and nothing else. */
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

/** Where what may become a secret begins. A secret in which another one may begin could become part of a longer range. */
function firstOpen(
  text: string,
  secrets: readonly Range[],
  matchers: readonly SecretMatcher[],
): number {
  const unwrapped = hasGaps(text) ? withoutGaps(text) : text;
  let partial = partialStart(unwrapped, matchers);
  const before = unwrapped.replace(CUT_GAP, "");
  if (before !== unwrapped) {
    const start = partialStart(before, matchers);
    if (start < before.length) partial = Math.min(partial, start);
  }
  if (partial === unwrapped.length) return text.length;
  const start = unwrapped === text ? partial : indexInWrapped(text)(partial);
  return secrets.find((secret) => secret.start < start && start < secret.end)?.start ?? start;
}

/** The end of a text may be the beginning of a gap. */
const CUT_GAP = /(?:\r|\\r?|\\r\\)$/;

function partialStart(text: string, matchers: readonly SecretMatcher[]): number {
  let first = text.length;
  for (const matcher of matchers) first = Math.min(first, matcher.partialStart(text));
  return first;
}
