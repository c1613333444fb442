/**
 * True if a variable, header or option with this name probably contains a secret: `GH_PAT`, `MYSQL_PWD`, `apiKey`,
 * `X-Auth-Token`, `SENTRY_DSN`.
 */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  if (name === "PWD" || name === "OLDPWD") return false;
  return (
    secretWords.has(last) ||
    words.some((word) => word === "SECRET" || word === "PASSWORD" || word === "CREDENTIALS") ||
    /(APIKEY|ACCESSKEY|PRIVATEKEY|AUTHTOKEN|PASSWORD)$/.test(last)
  );
}

const secretWords: ReadonlySet<string> = new Set([
  "KEY",
  "KEYS",
  "TOKEN",
  "TOKENS",
  "SECRET",
  "SECRETS",
  "PASSWORD",
  "PASSWD",
  "PASSPHRASE",
  "PASS",
  "PWD",
  "PW",
  "PIN",
  "PAT",
  "CREDENTIAL",
  "CREDENTIALS",
  "CREDS",
  "AUTH",
  "AUTHORIZATION",
  "BEARER",
  "JWT",
  "COOKIE",
  "DSN",
]);

/**
 * Splits a name into words: `apiKey`, `API_KEY` and `api-key` have the same words. Trailing digits are removed: `KEY1`
 * is `KEY`.
 */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .map((word) => word.replace(/\d+$/, ""))
    .filter((word) => word !== "");
}
