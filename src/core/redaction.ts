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

/** Shorter ones would hit ordinary words. */
const MIN_SECRET_LENGTH = 6;

export function createRedactor(secrets: Iterable<string>): Redactor {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
  if (known.length === 0) return { redact: (value) => value, stream: passThrough };

  const clean = (text: string): string =>
    known.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  return {
    redact: (value) => redactDeep(value, clean),
    stream: () => holdBack(known, clean),
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
    const cleaned = redactDeep(item, clean);
    changed ||= cleaned !== item;
    return [key, cleaned];
  });
  return changed ? Object.fromEntries(entries) : value;
}

function holdBack(secrets: readonly string[], clean: (text: string) => string): StreamRedactor {
  let held = "";
  return {
    push(piece) {
      const text = clean(held + piece);
      const keep = longestBeginning(text, secrets);
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
