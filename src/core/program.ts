import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { z } from "zod";
import type { Availability } from "../schema/runtime-info.ts";
import type { Environment } from "./environment.ts";
import { HalyardError, reasonOf } from "./error.ts";

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
  /** The oldest version that will do. */
  readonly oldest: string;
  readonly env: Environment;
  /** The only one that will do: a path, or a name on the PATH. */
  readonly bin?: string | undefined;
  /** The program to be run for one that was found: behind npm's script, say; with its version where that is on file. */
  describe(file: string): Promise<Program>;
  /** The one that `halyard runtime install` has put there. */
  installed(): Promise<Program | undefined>;
  readonly hint: string;
}

/** The one asked for; otherwise the user's own, if it is not too old; otherwise the one that Halyard installed. */
export async function findProgram(search: ProgramSearch): Promise<Program> {
  const { bin, command, displayName, env, oldest } = search;
  if (env.PATH === PATH_ELSEWHERE) return { file: bin ?? command };
  if (bin !== undefined) {
    const file = isAbsolute(bin) ? executable(bin) : onPath(bin, env);
    if (file === undefined) throw unavailable(`there is no program ${bin}`);
    return search.describe(file);
  }
  const own = onPath(command, env);
  const program = own === undefined ? undefined : await search.describe(own);
  if (program && !isOlder(program.version ?? oldest, oldest)) return program;
  const installed = await search.installed();
  if (installed) return installed;
  if (!program) throw unavailable(`${displayName} is not installed`);
  const found = `${program.file} is ${displayName} ${program.version}`;
  throw unavailable(`${found}, and ${oldest} is the oldest that is known to work`);
}

/** Looks at files only: to start the program would cost more, and might leave traces in the user's home. */
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
