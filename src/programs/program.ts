import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { z } from "zod";
import { HalyardError, reasonOf } from "../errors/error.ts";
import type { Availability } from "../schema/runtimes/runtime-info.ts";
import type { Environment } from "./environment.ts";
import { programVersion } from "./program-version.ts";

/** The program of a runtime. */
export interface Program {
  readonly file: string;
  /** The version, if it is known. */
  readonly version?: string;
}

/** The possible locations of a runtime's program. */
export interface ProgramPaths {
  /** The requested program: a path, or a name on the PATH. */
  readonly bin?: string | undefined;
  readonly env: Environment;
  /** The directory in which `halyard runtime install` installs runtimes. */
  readonly runtimesDir: string;
}

/** Describes the program to find. */
export interface ProgramSearch {
  readonly displayName: string;
  /** The program's name on the PATH. */
  readonly command: string;
  /** The oldest version that works. If omitted, the version is not checked. */
  readonly oldest?: string;
  /** The first version that no longer works, and advice for its users. Requires `oldest`. */
  readonly before?: { readonly version: string; readonly advice: string };
  readonly env: Environment;
  /**
   * The only accepted program: a path, or a name on the PATH. If it is the default `command`, the program that Halyard
   * installed is accepted too.
   */
  readonly bin?: string | undefined;
  /**
   * Returns the program to run for a file that was found, such as the native program that npm's script starts. Includes
   * the version if it is known.
   */
  describe(file: string): Promise<Program>;
  /** Returns the program that `halyard runtime install` installed. */
  installed(): Promise<Program | undefined>;
  /** How to make the program available, as a phrase: `run "halyard runtime install codex"`. */
  readonly hint: string;
}

/**
 * Returns the requested program; otherwise the user's own program, if its version is known to be supported; otherwise
 * the program that Halyard installed. If the only program is the user's own and has an unknown version, runs it to
 * print its version. Rejects with `runtime_unavailable` if the requested program does not exist, if no program exists,
 * or if the version of the only program, the user's own, is not supported or cannot be read. On `PATH_ELSEWHERE`, returns
 * the name of the program without a search.
 */
export async function findProgram(search: ProgramSearch): Promise<Program> {
  try {
    return await locateProgram(search);
  } catch (cause) {
    if (!(cause instanceof HalyardError)) throw cause;
    const message = `Cannot start the runtime: ${cause.message}. Check the path of the program, or ${search.hint}.`;
    throw new HalyardError(cause.code, message, { cause });
  }
}

/** Finds the program like `findProgram`. The error contains only the reason, without advice. */
export async function locateProgram(search: ProgramSearch): Promise<Program> {
  const { bin, command, displayName, env, oldest, before } = search;
  if (env.PATH === PATH_ELSEWHERE) return { file: bin ?? command };
  if (bin !== undefined && (bin !== command || isAbsolute(bin))) {
    const file = isAbsolute(bin) ? executable(bin) : onPath(bin, env);
    if (file === undefined) throw unavailable(`the program ${bin} does not exist`);
    return search.describe(file);
  }
  const own = onPath(command, env);
  const program = own === undefined ? undefined : await search.describe(own);
  const isUsable = (version: string | undefined) =>
    isNewEnough(version, oldest) && !(before && isNewEnough(version, before.version));
  if (program && isUsable(program.version)) return program;
  const installed = await search.installed();
  if (installed) return installed;
  if (!program) throw unavailable(`${displayName} is not installed`);
  const version = program.version ?? (await programVersion(program.file, { env }));
  if (isUsable(version)) return { ...program, version };
  const found = `${program.file} is ${displayName} ${version}`;
  if (before && isNewEnough(version, before.version))
    throw unavailable(`${found}. ${before.advice}`);
  throw unavailable(`${found}, but the oldest supported version is ${oldest}`);
}

/**
 * Reports whether the program is available. Runs the program only if no other program exists and its version is
 * unknown.
 */
export async function probeProgram(search: ProgramSearch): Promise<Availability> {
  try {
    const { file, version } = await locateProgram(search);
    return { available: true, program: file, ...(version !== undefined && { version }) };
  } catch (error) {
    const reason = reasonOf(error);
    return { available: false, reason, hint: search.hint };
  }
}

/**
 * A placeholder for the PATH of another machine. This process cannot search that PATH, so programs on the other machine
 * are started by name.
 */
export const PATH_ELSEWHERE = "(elsewhere)";

/** Returns the file if it is executable, otherwise undefined. Synchronous, because this is faster than the thread pool. */
export function executable(file: string): string | undefined {
  try {
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
    accessSync(file, constants.X_OK);
    return file;
  } catch {
    return undefined;
  }
}

/** Returns the first of these paths below the directory that is an executable file, or undefined if none is. */
export function firstExecutable(directory: string, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const file = executable(join(directory, path));
    if (file !== undefined) return file;
  }
  return undefined;
}

/** Returns the directory of the npm package that contains a file, if the package has one of these names. */
export function packageAround(file: string, names: readonly string[]): string | undefined {
  const path = file.replaceAll("\\", "/");
  for (const name of names) {
    const marker = `/node_modules/${name}/`;
    const at = path.lastIndexOf(marker);
    if (at >= 0) return path.slice(0, at + marker.length - 1);
  }
  return undefined;
}

/** Returns the native program of an npm package. npm installs platform packages inside the package or next to it. */
export function nativeProgram(root: string, paths: readonly string[]): string | undefined {
  const beside = root.slice(0, root.lastIndexOf("/node_modules/") + "/node_modules".length);
  return firstExecutable(join(root, "node_modules"), paths) ?? firstExecutable(beside, paths);
}

/** Returns the version of the npm package in a directory. Returns undefined if there is none or its name does not match. */
export function packageVersion(directory: string, name: RegExp): string | undefined {
  try {
    const text = readFileSync(join(directory, "package.json"), "utf8");
    const manifest = Manifest.parse(JSON.parse(text));
    return name.test(manifest.name) ? manifest.version : undefined;
  } catch {
    return undefined;
  }
}

const Manifest = z.looseObject({ name: z.string(), version: z.string() });

/** Returns the first program with this name in the absolute directories of the PATH, or undefined if there is none. */
export function onPath(name: string, env: Environment): string | undefined {
  const names = process.platform === "win32" ? [`${name}.exe`, name] : [name];
  for (const directory of (env.PATH ?? env.Path ?? "").split(delimiter)) {
    if (!isAbsolute(directory)) continue;
    for (const one of names) {
      const file = executable(join(directory, one));
      if (file !== undefined) return file;
    }
  }
  return undefined;
}

function isNewEnough(version: string | undefined, oldest: string | undefined): boolean {
  if (oldest === undefined) return true;
  return version !== undefined && !isOlder(version, oldest);
}

/** True if a version is older than another. Compares only as many numeric parts as `least` has. */
export function isOlder(version: string, least: string): boolean {
  const [found, wanted] = [version, least].map((one) => one.split(/[.-]/).map(Number));
  for (const [at, part] of (wanted ?? []).entries()) {
    const other = found?.[at] ?? 0;
    if (other !== part) return other < part;
  }
  return false;
}

function unavailable(reason: string): HalyardError {
  return new HalyardError("runtime_unavailable", reason);
}
