/**
 * True if a variable, header or option with this name probably contains a secret: `GH_PAT`, `MYSQL_PWD`, `apiKey`,
 * `X-Auth-Token`, `SENTRY_DSN`.
 */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  if (name === "PWD" || name === "OLDPWD") return false;
  // names such as `TOKEN_FILE` and `API_KEY_ID` do not contain the secret itself
  const isAbout = notSecretWords.has(last);
  return (
    secretWords.has(last) ||
    (!isAbout && words.some((word, at) => isSecretInside(word, words[at - 1]))) ||
    words.some((word) => word === "SECRET" || word === "PASSWORD" || word === "CREDENTIALS") ||
    /(APIKEY|ACCESSKEY|PRIVATEKEY|PASSWORD|(AUTH|ACCESS|REFRESH|IDENTITY|REGISTRY|SESSION)TOKEN)$/.test(
      last,
    ) ||
    (last === "CONFIG" && words.at(-2) === "AUTH") // `DOCKER_AUTH_CONFIG`
  );
}

/** True for a word that indicates a secret anywhere in the name: `TOKEN_GITHUB`, `DB_PASS_PROD`, `API_KEY_LIVE`. */
function isSecretInside(word: string, before: string | undefined): boolean {
  if (word === "KEY") return keyKinds.has(before ?? "");
  return word === "TOKEN" || word === "PASS" || word === "PASSWD" || word === "PASSPHRASE";
}

const keyKinds: ReadonlySet<string> = new Set(
  "API ACCESS PRIVATE SECRET SIGNING ENCRYPTION DEPLOY MASTER".split(" "),
);

/** Last words of names that refer to a secret but do not contain it. */
const notSecretWords: ReadonlySet<string> = new Set(
  "ID IDS FILE PATH DIR URL URI NAME TYPE COUNT LIMIT LIMITS BUDGET TTL EXPIRY EXPIRES SECONDS SIZE LENGTH ENABLED".split(
    " ",
  ),
);

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
 * Splits a name into words: `apiKey`, `API_KEY` and `api-key` have the same words. Removes trailing digits: `KEY1`
 * becomes `KEY`.
 */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .map((word) => word.replace(/\d+$/, ""))
    .filter((word) => word !== "");
}
