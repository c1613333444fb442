import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { z } from "zod";
import type { Availability } from "../schema/runtime-info.ts";
import type { Environment } from "./environment.ts";
import { HalyardError, reasonOf } from "./error.ts";
import { programVersion } from "./program-version.ts";

/** A runtime's program as it is installed. */
export interface Program {
  readonly file: string;
  /** Where it can be told without running the program. */
  readonly version?: string;
}

/** Where a runtime's program may be. */
export interface ProgramPlaces {
  /** The one asked for: a path, or a name on the PATH. */
  readonly bin?: string | undefined;
  readonly env: Environment;
  /** Where `halyard runtime install` puts runtimes. */
  readonly runtimesDir: string;
}

/** What is looked for, and where. */
export interface ProgramSearch {
  readonly displayName: string;
  /** Its name on the PATH. */
  readonly command: string;
  /** The oldest version that works. Omitted if any version does; the version is not checked then. */
  readonly oldest?: string;
  readonly env: Environment;
  /** The only one that will do: a path, or a name on the PATH. The usual `command` may also be the installed one. */
  readonly bin?: string | undefined;
  /** The program to be run for one that was found: behind npm's script, say; with its version where that is on file. */
  describe(file: string): Promise<Program>;
  /** The one that `halyard runtime install` has put there. */
  installed(): Promise<Program | undefined>;
  readonly hint: string;
}

/**
 * The program asked for by name; otherwise the user's own, if its version is known and not too old; otherwise the one
 * that Halyard installed. If there is only a program of unknown version, the program is run to print its version.
 */
export async function findProgram(search: ProgramSearch): Promise<Program> {
  const { bin, command, displayName, env, oldest } = search;
  if (env.PATH === PATH_ELSEWHERE) return { file: bin ?? command };
  if (bin !== undefined && (bin !== command || isAbsolute(bin))) {
    const file = isAbsolute(bin) ? executable(bin) : onPath(bin, env);
    if (file === undefined) throw unavailable(`there is no program ${bin}`);
    return search.describe(file);
  }
  const own = onPath(command, env);
  const program = own === undefined ? undefined : await search.describe(own);
  if (program && isNewEnough(program.version, oldest)) return program;
  const installed = await search.installed();
  if (installed) return installed;
  if (!program) throw unavailable(`${displayName} is not installed`);
  const version = program.version ?? (await programVersion(program.file, { env }));
  if (isNewEnough(version, oldest)) return { ...program, version };
  const found = `${program.file} is ${displayName} ${version}`;
  throw unavailable(`${found}, and ${oldest} is the oldest that is known to work`);
}

/** Looks at files only, unless the only program there is has an unknown version. */
export async function probeProgram(search: ProgramSearch): Promise<Availability> {
  try {
    const { file, version } = await findProgram(search);
    return { available: true, program: file, ...(version !== undefined && { version }) };
  } catch (error) {
    const reason = reasonOf(error);
    return { available: false, reason, hint: search.hint };
  }
}

/**
 * Stands for the PATH of another machine, which cannot be looked at from here: programs are started there by their
 * names.
 */
export const PATH_ELSEWHERE = "(elsewhere)";

/** The file itself, if it is one that can be run. Looked for here: another thread would take longer to be asked. */
export function executable(file: string): string | undefined {
  try {
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
    accessSync(file, constants.X_OK);
    return file;
  } catch {
    return undefined;
  }
}

/** The first of these paths below the directory that is an executable file. */
export function firstExecutable(directory: string, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const file = executable(join(directory, path));
    if (file !== undefined) return file;
  }
  return undefined;
}

/** The directory of the npm package of one of these names that a file is in; undefined if it is in none. */
export function packageAround(file: string, names: readonly string[]): string | undefined {
  const path = file.replaceAll("\\", "/");
  for (const name of names) {
    const marker = `/node_modules/${name}/`;
    const at = path.lastIndexOf(marker);
    if (at >= 0) return path.slice(0, at + marker.length - 1);
  }
  return undefined;
}

/** The native program of an npm package. npm installs the packages per platform inside of that package or beside it. */
export function nativeProgram(root: string, paths: readonly string[]): string | undefined {
  const beside = root.slice(0, root.lastIndexOf("/node_modules/") + "/node_modules".length);
  return firstExecutable(join(root, "node_modules"), paths) ?? firstExecutable(beside, paths);
}

/** The version of the npm package in that directory, if it is one of that name. */
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

function onPath(name: string, env: Environment): string | undefined {
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

/** Whether one version comes before another: numbers and dots, as far as the other goes. */
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
