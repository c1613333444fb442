import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { formsOf, SHORTEST_SECRET } from "./secret-forms.ts";
import type { SecretMatcher } from "./secret-matcher.ts";
import type { Range } from "./text-gaps.ts";

/** Hashes of secrets. A redactor can recognize the secrets but cannot recover them. */
export const SealedSecrets = z.object({
  salt: z.string(),
  secrets: z.array(
    z.object({
      length: z.number().int().positive(),
      /**
       * A checksum of the first characters, which finds candidates quickly. The digest confirms a candidate, because
       * checksums collide.
       */
      mark: z.number().int(),
      digest: z.string(),
    }),
  ),
});
export type SealedSecrets = z.infer<typeof SealedSecrets>;

type SealedSecret = SealedSecrets["secrets"][number];

/** No sealed secrets. */
export const nothingSealed: SealedSecrets = { salt: "", secrets: [] };

/** Hashes secrets in all their encodings. Omits secrets that are too short to redact. */
export function sealSecrets(secrets: Iterable<string>): SealedSecrets {
  const salt = randomBytes(16).toString("hex");
  return {
    salt,
    secrets: [...new Set([...secrets].flatMap(formsOf))].map((form) => ({
      length: form.length,
      mark: markAt(form, 0),
      digest: digestOf(form, salt),
    })),
  };
}

/** Returns the sealed secrets that are not among the known plain secrets. */
export function sealedBeside(
  { salt, secrets }: SealedSecrets,
  known: readonly string[],
): SealedSecrets {
  const open = new Set(known.map((form) => digestOf(form, salt)));
  return { salt, secrets: secrets.filter(({ digest }) => !open.has(digest)) };
}

/** Creates a matcher that finds sealed secrets by their checksums and digests. */
export function createSealedMatcher({ salt, secrets }: SealedSecrets): SecretMatcher {
  const byMark = new Map<number, SealedSecret[]>();
  for (const secret of secrets)
    byMark.set(secret.mark, [...(byMark.get(secret.mark) ?? []), secret]);
  const longest = Math.max(...secrets.map(({ length }) => length));
  const endAt = (text: string, start: number): number | undefined => {
    const candidates = byMark.get(markAt(text, start));
    if (candidates === undefined) return undefined;
    const ends = candidates
      .map(({ length, digest }) => ({ end: start + length, digest }))
      .filter(({ end, digest }) => end <= text.length && isDigest(text.slice(start, end), digest));
    return ends.length > 0 ? Math.max(...ends.map(({ end }) => end)) : undefined;
  };
  const isDigest = (text: string, digest: string) => digestOf(text, salt) === digest;
  return {
    longest,
    find(text) {
      const found: Range[] = [];
      for (let start = 0; start + BEGINNING <= text.length; start++) {
        const end = endAt(text, start);
        if (end !== undefined) found.push({ start, end });
      }
      return found;
    },
    /** Treats the last few characters as a possible start of a secret, because they are too short for a checksum. */
    partialStart(text) {
      const last = Math.max(0, text.length - BEGINNING + 1);
      for (let start = Math.max(0, text.length - longest + 1); start < last; start++) {
        const candidates = byMark.get(markAt(text, start)) ?? [];
        if (candidates.some(({ length }) => start + length > text.length)) return start;
      }
      return last;
    },
  };
}

/** The number of characters that a checksum covers. Every secret has at least this length. */
const BEGINNING = SHORTEST_SECRET;

/** Returns two bytes of a checksum (FNV-1a) of the characters that start at `at`. */
function markAt(text: string, at: number): number {
  let sum = 0x811c9dc5;
  for (let index = at; index < at + BEGINNING; index++)
    sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193);
  return (sum >>> 16) & 0xffff;
}

function digestOf(secret: string, salt: string): string {
  return createHash("sha256").update(salt).update(secret).digest("hex");
}
