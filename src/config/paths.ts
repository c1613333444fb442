import { createHash } from "node:crypto";
import { homedir, tmpdir, userInfo } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { type Environment, withAbsoluteDirectories } from "../core/environment.ts";

export type { Environment };

/** Where sessions, runtimes and the user's own settings are kept: `HALYARD_HOME`, or `~/.halyard`. */
export function homeDirectory(env: Environment): string {
  return resolve(env.HALYARD_HOME || join(userHome(), ".halyard"));
}

/** Where `server.json`, `models.json` and their like are: `HALYARD_CONFIG`, or `config` in the working directory. */
export function configDirectory(env: Environment, cwd: string): string {
  return resolve(cwd, env.HALYARD_CONFIG || "config");
}

/** Where `config` and `projects` are, for who works in a project: around it; for others, where they work. */
export function configRoot(cwd: string, project: string | undefined): string {
  const here = resolve(cwd);
  for (let directory = here; dirname(directory) !== directory; directory = dirname(directory)) {
    const above = dirname(directory);
    if (basename(directory) === project && basename(above) === PROJECTS) return dirname(above);
  }
  return here;
}

const PROJECTS = "projects";

/** Where projects are: `projects`, beside the config directory. */
export function projectsDirectory(configDir: string): string {
  return join(dirname(configDir), PROJECTS);
}

export const projectFile = (configDir: string, id: string): string =>
  join(projectsDirectory(configDir), id, "metadata.json");

export const modelsFile = (configDir: string): string => join(configDir, "models.json");
export const serverFile = (configDir: string): string => join(configDir, "server.json");
export const factoryFile = (configDir: string): string => join(configDir, "factory.json");
export const projectDefaultsFile = (configDir: string): string =>
  join(configDir, "project-defaults.json");

/** The user's own settings. */
export const userSettingsFile = (home: string): string => join(home, "config.json");

/** The directories whose files the user trusts. */
export const trustFile = (home: string): string => join(home, "trust.json");

/** Gas Town's registry of runtimes, in the user's home. */
export function registryFile(env: Environment): string {
  return join(env.HOME || userHome(), ".gastown", "runtimes.json");
}

/** Where a project's settings may be: `halyard.json` in the working directory or above it, the nearest first. */
export function projectSettingsFiles(cwd: string): string[] {
  return upwards(cwd, "halyard.json");
}

/** Where models may be, the nearest first: in the config directory, in a `config` above it, in Halyard's home. */
export function modelsFiles(env: Environment, root: string, home: string): string[] {
  const near = env.HALYARD_CONFIG
    ? [modelsFile(configDirectory(env, root))]
    : upwards(root, modelsFile("config"));
  return [...near, modelsFile(home)];
}

/** Where a rig's choice of runtime may be, the nearest first. */
export function rigFiles(cwd: string): string[] {
  return upwards(cwd, join(".gastown", "runtime.json"));
}

function upwards(cwd: string, name: string): string[] {
  const files: string[] = [];
  for (let directory = resolve(cwd); ; directory = dirname(directory)) {
    files.push(join(directory, name));
    if (dirname(directory) === directory) return files;
  }
}

/** Where the tmux server of a home listens: in it, unless the name would be too long for a socket. */
export function tmuxSocket(home: string): string {
  const socket = join(home, "tmux.sock");
  if (Buffer.byteLength(socket) <= LONGEST_SOCKET_NAME) return socket;
  const hash = createHash("sha256").update(home).digest("hex").slice(0, 16);
  return join(temporaryRoot(), `halyard-${hash}.sock`);
}

/**
 * Where a process that runs sessions accepts commands from other processes of the same user. The path follows from the
 * process's identity, which the store records as the session's owner.
 */
export function ownerSocket(home: string, owner: OwnerIdentity): string {
  const { pid, startTime, bootId } = owner;
  const key = createHash("sha256").update(`${home}\0${pid}\0${startTime}\0${bootId}`);
  const name = `${key.digest("hex").slice(0, 16)}.sock`;
  const socket = join(ownerSockets(home), name);
  if (Buffer.byteLength(socket) <= LONGEST_SOCKET_NAME) return socket;
  return join("/tmp", `halyard-${process.getuid?.() ?? 0}`, name); // not TMPDIR, which processes may not share
}

/** The directory of a home's owner sockets. */
export function ownerSockets(home: string): string {
  return join(home, "owners");
}

interface OwnerIdentity {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
}

/** This process's environment, in which `HOME` and other directories are absolute paths or missing. */
export function ownEnvironment(): Environment {
  return { HOME: userHome(), ...withAbsoluteDirectories(process.env) };
}

/** `HOME`, or if that is empty or relative, the home that the system has on record for this user. */
function userHome(): string {
  return isAbsolute(homedir()) ? homedir() : userInfo().homedir;
}

/** The system's directory for temporary files; `/tmp` if `TMPDIR` is a relative path. */
export function temporaryRoot(): string {
  return isAbsolute(tmpdir()) ? tmpdir() : "/tmp";
}

/** What every system allows. */
const LONGEST_SOCKET_NAME = 100;
