import { isAbsolute } from "node:path";
import { isDeepStrictEqual } from "node:util";

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that programs inherit, in addition to those with `prefixes`. All others, such as keys, must be passed. */
const names: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TERM",
  "COLORTERM",
  "TMPDIR",
  "TEMP",
  "TMP",
  "TZ",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "SYSTEMROOT",
  "COMSPEC",
  "PATHEXT",
  "WINDIR",
  "APPDATA",
  "LOCALAPPDATA",
  "USERPROFILE",
  "PROGRAMFILES",
]);

const prefixes = ["LC_", "XDG_"];

/** Returns the variables that may be passed to a program, plus `extra`. */
export function allowedEnvironment(
  env: Environment,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const allowed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && isAllowed(name)) allowed[name] = value;
  }
  return { ...allowed, ...extra };
}

/**
 * True if a program may inherit the variable. Ignores case, because proxy variables exist in both cases and Windows
 * uses `Path`.
 */
function isAllowed(name: string): boolean {
  const upper = name.toUpperCase();
  return names.has(upper) || prefixes.some((prefix) => upper.startsWith(prefix));
}

/**
 * Returns the environment without directory variables whose value is empty or relative. A relative value would place
 * homes, sockets and sign-ins in the working directory, where a repository could provide them and an agent could read
 * them.
 */
export function withAbsoluteDirectories(env: Environment): Environment {
  const isUsable = ([name, value]: [string, string | undefined]) =>
    value === undefined || !isDirectoryName(name) || isAbsolute(value);
  return Object.fromEntries(Object.entries(env).filter(isUsable));
}

/**
 * True for variables that name one directory. `XDG_DATA_DIRS` and `XDG_CONFIG_DIRS` are lists. `HALYARD_HOME` may be
 * relative, because only the user sets it; an empty value is treated as unset.
 */
function isDirectoryName(name: string): boolean {
  if (name.startsWith("HALYARD_")) return false;
  return /^(TMPDIR|TMP|TEMP|USERPROFILE)$|(^|_)(HOME|HOME_OVERRIDE|CONFIG_DIR|RUNTIME_DIR)$/.test(
    name,
  );
}

/**
 * Returns the user's home directory, or the path of a nonexistent directory if no variable contains an absolute path.
 */
export function homeIn({ HOME, USERPROFILE }: Environment): string {
  return [HOME, USERPROFILE].find((path) => path && isAbsolute(path)) ?? "/nonexistent";
}

/**
 * Returns the variables that contain keys, tokens and endpoints of models, cloud settings, or Halyard's own model
 * settings, if they are not empty. `HALYARD_TOKEN` is not included.
 */
export function credentialsIn(env: Environment): Record<string, string> {
  return variablesIn(env, Object.keys(env).filter(isCredential));
}

/**
 * Returns the environment with its credentials replaced by those of a caller. Ignores the caller's other variables.
 * Returns the environment unchanged if `credentials` is undefined.
 */
export function withCredentials(
  env: Environment,
  credentials: Readonly<Record<string, string>> | undefined,
): Environment {
  if (credentials === undefined) return env;
  const own = Object.entries(env).filter(([name]) => !isCredential(name));
  const given = Object.entries(credentials).filter(([name]) => isCredential(name));
  return Object.fromEntries([...own, ...given]);
}

/** Like `withCredentials`, but returns undefined if the credentials are the same. */
export function withOtherCredentials(
  env: Environment,
  credentials: Readonly<Record<string, string>>,
): Environment | undefined {
  const isSame = isDeepStrictEqual({ ...credentials }, credentialsIn(env));
  return isSame ? undefined : withCredentials(env, credentials);
}

function isCredential(name: string): boolean {
  if (name === "HALYARD_TOKEN") return false;
  if (/^HALYARD_(MODEL|BASE_URL|API|API_KEY)$/.test(name)) return true;
  return /(_API_KEY|_TOKEN|_BASE_URL|_USE_(BEDROCK|VERTEX|FOUNDRY))$|^(AWS|AZURE|GOOGLE)_/.test(
    name,
  );
}

/** Returns the named variables that are not empty. */
export function variablesIn(env: Environment, names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = env[name];
    if (value !== undefined && value !== "") found[name] = value;
  }
  return found;
}
