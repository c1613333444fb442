import { isSecretName } from "./secret-names.ts";

/** Returns the keys and passwords in a value: in URLs, arguments, headers, connection strings, or the whole value. */
export function secretsInText(value: string): string[] {
  return [
    ...[...value.matchAll(URLS)].flatMap(([url]) => secretsInUrl(url)),
    ...[...value.matchAll(ASSIGNMENTS)].flatMap(([, name = "", assigned = ""]) =>
      isSecretName(name) && !isTrivial(assigned) ? withDecoded(assigned) : [],
    ),
    ...[...value.matchAll(CREDENTIALS)].map(([, key = ""]) => key),
    ...[...value.matchAll(KEYS)].map(([key]) => key),
  ];
}

/** True for common values that are not secret: switches, short numbers, names such as `bearer`, variables and paths. */
export function isTrivial(value: string): boolean {
  return (
    /^\d{1,7}$/.test(value) ||
    /^(true|false|yes|no|on|off|null|none|undefined|default|auto|enabled|disabled)$/i.test(value) ||
    /^(basic|bearer|digest|oauth2?|password|token|secret|api[-_]?key|keychain|keyring)$/i.test(
      value,
    ) ||
    /^\$\{?\w+\}?$/.test(value) ||
    isPath(value)
  );
}

/** True for paths. A base64 key may also start with a slash, but has no short segments. */
function isPath(value: string): boolean {
  if (!/^(~|\.{1,2}|[A-Za-z]:)?[/\\]/.test(value) || /[+=]/.test(value)) return false;
  return value.split(/[/\\]/).every((part) => part.length <= 30);
}

const URLS = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+/gi;

/** Matches assignments: `--api-key=…`, `?token=…`, `Password=…;` and `X-Api-Key: …`. */
const ASSIGNMENTS = /(?<![\w.-])-*([A-Za-z][\w.-]*)\s*[=:]\s*(?=([^\s;&,"'#]+))/g;

/** Matches the credentials after the scheme in a header. */
const CREDENTIALS = /\b(?:bearer|basic|token)\s+([\w.~+/=-]{8,})/gi;

/** Matches keys with a well-known prefix, and JSON web tokens. */
const KEYS =
  /\b(?:sk-[\w-]{16,}|gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|hf_\w{16,}|npm_\w{16,}|fk-[\w-]{16,}|AKIA[A-Z0-9]{12,}|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)/g;

function secretsInUrl(text: string): string[] {
  const [, userinfo = ""] = /^[^/]+:\/\/([^/?#]*)@/.exec(text) ?? [];
  const [user = "", ...rest] = userinfo.split(":");
  const password = rest.join(":");
  const [path = ""] = text.replace(/^[^/]+:\/\/[^/?#]*/, "").split(/[?#]/);
  return [
    ...(password === "" ? [user].filter(isRandom) : [password]).flatMap(withDecoded),
    ...path.split("/").filter(isRandom).flatMap(withDecoded),
  ];
}

/**
 * True if the text looks like a key: at least 20 characters, with letters and digits. May also match a plain id;
 * redacting an id does no harm.
 */
function isRandom(text: string): boolean {
  return text.length >= 20 && /\d/.test(text) && /[a-z]/i.test(text) && !/^v?[\d.]+$/.test(text);
}

/** Returns the text and its URL-decoded form, because programs print either form. */
function withDecoded(text: string): string[] {
  try {
    const decoded = decodeURIComponent(text);
    return decoded === text ? [text] : [text, decoded];
  } catch {
    return [text];
  }
}
