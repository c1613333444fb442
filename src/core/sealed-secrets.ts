import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";

/** Secrets that can be recognised and not be read. */
export const SealedSecrets = z.object({
  salt: z.string(),
  secrets: z.array(
    z.object({
      length: z.number().int().positive(),
      /** What its beginning comes to: a hint of where to look, which many other words share. */
      mark: z.number().int(),
      digest: z.string(),
    }),
  ),
});
export type SealedSecrets = z.infer<typeof SealedSecrets>;

export const nothingSealed: SealedSecrets = { salt: "", secrets: [] };

export function sealSecrets(secrets: Iterable<string>): SealedSecrets {
  const salt = randomBytes(16).toString("hex");
  const long = [...new Set(secrets)].filter(({ length }) => length >= SHORTEST_SECRET);
  return {
    salt,
    secrets: long.map((secret) => ({
      length: secret.length,
      mark: markAt(secret, 0),
      digest: digestOf(secret, salt),
    })),
  };
}

/** Those that are none of the secrets that somebody knows anyway. */
export function sealedBeside(
  { salt, secrets }: SealedSecrets,
  known: readonly string[],
): SealedSecrets {
  const open = new Set(known.map((secret) => digestOf(secret, salt)));
  return { salt, secrets: secrets.filter(({ digest }) => !open.has(digest)) };
}

/** The text with each of them replaced. */
export function hideSealed(
  text: string,
  { salt, secrets }: SealedSecrets,
  replacement: string,
): string {
  const isAt = (at: number, { length, digest }: SealedSecrets["secrets"][number]) =>
    at + length <= text.length && digestOf(text.slice(at, at + length), salt) === digest;
  let hidden = "";
  let told = 0;
  for (let at = 0; at + BEGINNING <= text.length; at++) {
    const mark = markAt(text, at);
    const lengths = secrets.filter((one) => one.mark === mark && isAt(at, one));
    if (lengths.length === 0) continue;
    hidden += text.slice(told, at) + replacement;
    told = at + Math.max(...lengths.map(({ length }) => length));
    at = told - 1;
  }
  return told === 0 ? text : hidden + text.slice(told);
}

/** How many characters at the end of the text could be the beginning of one of them: of the last few that cannot be told. */
export function sealedBeginning(text: string, { secrets }: SealedSecrets): number {
  if (secrets.length === 0) return 0;
  const longest = Math.max(...secrets.map(({ length }) => length));
  for (let at = Math.max(0, text.length - longest + 1); at + BEGINNING <= text.length; at++) {
    const mark = markAt(text, at);
    const left = text.length - at;
    if (secrets.some((one) => one.mark === mark && left < one.length)) return left;
  }
  return Math.min(BEGINNING - 1, text.length);
}

/** Shorter ones would hit ordinary words. */
export const SHORTEST_SECRET = 6;

/** What every secret has enough of. */
const BEGINNING = SHORTEST_SECRET;

/** Two bytes of a checksum (FNV-1a) over the beginning of what stands there. */
function markAt(text: string, at: number): number {
  let sum = 0x811c9dc5;
  for (let index = at; index < at + BEGINNING; index++)
    sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193);
  return (sum >>> 16) & 0xffff;
}

function digestOf(secret: string, salt: string): string {
  return createHash("sha256").update(salt).update(secret).digest("hex");
}
