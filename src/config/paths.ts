import { createHash } from "node:crypto";
import { homedir, tmpdir, userInfo } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { REGISTRY_FILE, RIG_FILE } from "../compat/gas-town/files/names.ts";
import { type Environment, withAbsoluteDirectories } from "../programs/environment.ts";

export type { Environment };

/** Returns the Halyard home: `HALYARD_HOME`, or `~/.halyard`. */
export function homeDirectory(env: Environment): string {
  return resolve(env.HALYARD_HOME || join(userHome(), ".halyard"));
}

/** Returns the directory of `server.json` and similar files: `HALYARD_CONFIG`, or `config` in the working directory. */
export function configDirectory(env: Environment, cwd: string): string {
  return resolve(cwd, env.HALYARD_CONFIG || "config");
}

/**
 * Returns the directory that contains `config` and `projects`: the parent of `projects` if the working directory is in
 * `projects/<project>`, otherwise the working directory.
 */
export function configRoot(cwd: string, project: string | undefined): string {
  const here = resolve(cwd);
  for (let directory = here; dirname(directory) !== directory; directory = dirname(directory)) {
    const above = dirname(directory);
    if (basename(directory) === project && basename(above) === PROJECTS) return dirname(above);
  }
  return here;
}

const PROJECTS = "projects";

/** Returns the directory of projects: `projects`, next to the config directory. */
export function projectsDirectory(configDir: string): string {
  return join(dirname(configDir), PROJECTS);
}

/** Returns the path of a project's `metadata.json`. */
export const projectFile = (configDir: string, id: string): string =>
  join(projectsDirectory(configDir), id, "metadata.json");

/** Returns the path of the file with the named models. */
export const modelsFile = (configDir: string): string => join(configDir, "models.json");

/** Returns the path of the file with the settings of all sessions that are started from a directory. */
export const serverFile = (configDir: string): string => join(configDir, "server.json");

/** Returns the path of the file with the account that Droid uses to sign in. */
export const factoryFile = (configDir: string): string => join(configDir, "factory.json");

/** Returns the path of the file with the default limits of projects. */
export const projectDefaultsFile = (configDir: string): string =>
  join(configDir, "project-defaults.json");

/** Returns the path of the user's settings. */
export const userSettingsFile = (home: string): string => join(home, "config.json");

/** Returns the path of the user's model prices, which take precedence over the built-in prices. */
export const pricesFile = (home: string): string => join(home, "prices.json");

/** Returns the path of the list of directories that the user trusts. */
export const trustFile = (home: string): string => join(home, "trust.json");

/** Returns the path of the list of machines that Halyard reaches over SSH. */
export const hostsFile = (home: string): string => join(home, "hosts.json");

/** Returns the path of the registry of runtimes, which is in the user's home directory. */
export function registryFile(env: Environment): string {
  return join(env.HOME || userHome(), REGISTRY_FILE);
}

/** Returns the possible paths of `halyard.json`: in the working directory and above, nearest first. */
export function projectSettingsFiles(cwd: string): string[] {
  return upwards(cwd, "halyard.json");
}

/**
 * Returns the possible paths of `models.json`, nearest first: in `HALYARD_CONFIG`, or in `config` in `root` and in the
 * directories above it, then in the Halyard home.
 */
export function modelsFiles(env: Environment, root: string, home: string): string[] {
  const near = env.HALYARD_CONFIG
    ? [modelsFile(configDirectory(env, root))]
    : upwards(root, modelsFile("config"));
  return [...near, modelsFile(home)];
}

/** Returns the possible paths of the file that sets the runtime of a directory, nearest first. */
export function directoryFiles(cwd: string): string[] {
  return upwards(cwd, RIG_FILE);
}

function upwards(cwd: string, name: string): string[] {
  const files: string[] = [];
  for (let directory = resolve(cwd); ; directory = dirname(directory)) {
    files.push(join(directory, name));
    if (dirname(directory) === directory) return files;
  }
}

/** Returns the socket path of a home's tmux server: in the home or, if that path is too long, in the temporary directory. */
export function tmuxSocket(home: string): string {
  const socket = join(home, "tmux.sock");
  if (Buffer.byteLength(socket) <= LONGEST_SOCKET_NAME) return socket;
  const hash = createHash("sha256").update(home).digest("hex").slice(0, 16);
  return join(temporaryRoot(), `halyard-${hash}.sock`);
}

/**
 * Returns the path of the socket on which a process that runs sessions accepts commands from other processes of the same
 * user. The path is derived from the process identity that the store records as the session's owner.
 */
export function ownerSocket(home: string, owner: OwnerIdentity): string {
  const { pid, startTime, bootId } = owner;
  const key = createHash("sha256").update(`${home}\0${pid}\0${startTime}\0${bootId}`);
  const { directory, prefix } = ownerSockets(home);
  return join(directory, `${prefix}${key.digest("hex").slice(0, OWNER_KEY_LENGTH)}.sock`);
}

/**
 * Returns the directory of the owner sockets of a home, and the prefix of their names. If paths in the home are too
 * long for a socket, the sockets of all the user's homes share one directory.
 */
export function ownerSockets(home: string): {
  readonly directory: string;
  readonly prefix: string;
} {
  const directory = join(home, "owners");
  const longest = join(directory, `${"0".repeat(OWNER_KEY_LENGTH)}.sock`);
  if (Buffer.byteLength(longest) <= LONGEST_SOCKET_NAME) return { directory, prefix: "" };
  const prefix = `${createHash("sha256").update(home).digest("hex").slice(0, OWNER_KEY_LENGTH)}-`;
  // /tmp instead of TMPDIR, which may differ between processes
  return { directory: join("/tmp", `halyard-${process.getuid?.() ?? 0}`), prefix };
}

const OWNER_KEY_LENGTH = 16;

interface OwnerIdentity {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
}

/** Returns the environment of this process. Directories such as `HOME` are absolute paths or missing. */
export function ownEnvironment(): Environment {
  return { HOME: userHome(), ...withAbsoluteDirectories(process.env) };
}

/** Returns `HOME`, or the home directory from the user database if `HOME` is unset, empty or relative. */
function userHome(): string {
  return isAbsolute(homedir()) ? homedir() : userInfo().homedir;
}

/** Returns the directory for temporary files, or `/tmp` if `TMPDIR` is a relative path. */
export function temporaryRoot(): string {
  return isAbsolute(tmpdir()) ? tmpdir() : "/tmp";
}

/** The maximum length of a socket path in bytes that every supported system allows. */
const LONGEST_SOCKET_NAME = 100;
