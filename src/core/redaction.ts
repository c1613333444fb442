import {
  hideSealed,
  nothingSealed,
  SHORTEST_SECRET,
  sealedBeginning,
  sealedBeside,
} from "./sealed-secrets.ts";

/** Takes known secrets out of what is about to be written down. */
export interface Redactor {
  /** The value with every secret replaced, or the value itself where there was none. */
  redact<T>(value: T): T;
  /** For a text that comes in pieces: a secret cut in two is found too. */
  stream(): StreamRedactor;
}

export interface StreamRedactor {
  /** What of the text so far can be told; the beginning of what may become a secret is held back. */
  push(piece: string): string;
  /** What was held back, once it is clear that no more comes. */
  flush(): string;
}

export const REDACTED = "[redacted]";

/** Knows some secrets, and recognises others that were sealed by whoever knew them. */
export function createRedactor(secrets: Iterable<string>, sealed = nothingSealed): Redactor {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  const unknown = sealedBeside(sealed, known);
  const isNone = known.length + unknown.secrets.length === 0;
  if (isNone) return { redact: (value) => value, stream: passThrough };

  const clean = (text: string): string => {
    const rest = known.reduce((left, secret) => left.replaceAll(secret, REDACTED), text);
    return unknown.secrets.length === 0 ? rest : hideSealed(rest, unknown, REDACTED);
  };
  const beginning = (text: string): number =>
    Math.max(longestBeginning(text, known), sealedBeginning(text, unknown));
  return {
    redact: (value) => redactDeep(value, clean),
    stream: () => holdBack(beginning, clean),
  };
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

function holdBack(
  beginning: (text: string) => number,
  clean: (text: string) => string,
): StreamRedactor {
  let held = "";
  return {
    push(piece) {
      const text = clean(held + piece);
      const keep = beginning(text);
      held = text.slice(text.length - keep);
      return text.slice(0, text.length - keep);
    },
    flush() {
      const rest = held;
      held = "";
      return rest;
    },
  };
}

/** How many characters at the end of the text could be the beginning of a secret. */
function longestBeginning(text: string, secrets: readonly string[]): number {
  let longest = 0;
  for (const secret of secrets) {
    for (let length = Math.min(secret.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(secret.slice(0, length))) longest = length;
    }
  }
  return longest;
}

/** Whether a variable or header of that name is likely to hold what nobody should read. */
export function isSecretName(name: string): boolean {
  return /(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?|AUTHORIZATION|COOKIE)$/i.test(name);
}
