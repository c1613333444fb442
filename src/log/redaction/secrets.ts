import { isSecretName } from "./secret-names.ts";
import { isTrivial, secretsInText } from "./secret-values.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * Returns the secrets in variables or options: values whose name indicates a secret, and keys and passwords inside
 * other values, such as URLs, arguments and headers.
 */
export function secretsIn(values: Values): string[] {
  return [...new Set(secretsBelow(values, MAX_DEPTH))].filter((secret) => secret !== "");
}

/** The depth of the search: the environment of an MCP server in an SDK's options is 6 levels deep. */
const MAX_DEPTH = 6;

function secretsBelow(value: unknown, levels: number, isNamed = false): string[] {
  if (typeof value === "string")
    return [
      ...(isNamed ? secretsOfName(value) : secretsInText(value)),
      ...secretsInJson(value, levels, isNamed),
    ];
  if (levels === 0) return [];
  if (Array.isArray(value)) return secretsInList(value, levels);
  if (!isPlain(value)) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    secretsBelow(item, levels - 1, isSecretName(name) && !namesVariable(name)),
  );
}

/**
 * Finds secrets in a value that is JSON, such as `DOCKER_AUTH_CONFIG`. If the name of the value indicates a secret, every
 * string in the JSON is treated as a secret, because a program may print one string alone.
 */
function secretsInJson(value: string, levels: number, isNamed: boolean): string[] {
  if (levels === 0 || !/^\s*[[{]/.test(value)) return [];
  const parsed = parseJson(value);
  if (!isNamed) return secretsBelow(parsed, levels - 1).flatMap(withPassword);
  return textsIn(parsed, levels).flatMap(secretsOfName).flatMap(withPassword);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textsIn(value: unknown, levels: number): string[] {
  if (typeof value === "string") return [value];
  if (levels === 0 || typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((item) => textsIn(item, levels - 1));
}

/** Adds the password if the secret is `user:password` in base64, as in registry credentials. */
function withPassword(secret: string): string[] {
  if (!/^[\w+/-]{8,}={0,2}$/.test(secret)) return [secret];
  const [, password] = /^[\x20-\x7e]+?:([\x20-\x7e]+)$/.exec(atob64(secret)) ?? [];
  return password === undefined ? [secret] : [secret, password];
}

const atob64 = (text: string): string => Buffer.from(text, "base64").toString("latin1");

/** Finds secrets in command-line arguments. `--token VALUE` consists of two arguments. */
function secretsInList(items: readonly unknown[], levels: number): string[] {
  return items.flatMap((item, index) => {
    const before: unknown = items[index - 1];
    const isOption = typeof before === "string" && /^--?\w[\w-]*$/.test(before);
    return secretsBelow(item, levels - 1, isOption && isSecretName(before));
  });
}

/**
 * Returns the secrets in a value whose name indicates a secret: the whole value without its scheme, and any secrets
 * inside it. For a URL or a trivial value, returns only the secrets inside.
 */
function secretsOfName(value: string): string[] {
  const inside = secretsInText(value);
  if (/^\w+:\/\//.test(value) || isTrivial(value)) return inside;
  return [value.replace(SCHEME, ""), ...inside];
}

/** Matches the scheme before the key of a header. The scheme is not secret. */
const SCHEME = /^(bearer|basic|token)\s+/i;

/** True for names such as `env_key` and `api_key_env`, whose value is the name of a variable. */
function namesVariable(name: string): boolean {
  return /^env[-_]?key$|[-_]?env$/i.test(name);
}

/** True for plain objects. Class instances, such as the servers of an SDK, are not data. */
function isPlain(value: unknown): value is Values {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
