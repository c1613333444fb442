import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Platform, thisPlatform } from "../../programs/platform.ts";
import {
  firstExecutable,
  nativeProgram,
  type Program,
  type ProgramPaths,
  type ProgramSearch,
  packageAround,
  packageVersion,
} from "../../programs/program.ts";

/** Describes how to find Droid: the native program, not the npm script that starts it. */
export function droidSearch({ bin, env, runtimesDir }: ProgramPaths): ProgramSearch {
  return {
    displayName: "Droid",
    command: "droid",
    oldest: "0.215.0",
    env,
    bin,
    describe: resolveNpmScript,
    installed: () => findInModules(join(runtimesDir, "droid", "node_modules")),
    hint: 'run "halyard runtime install droid"',
  };
}

/**
 * Returns the native program that an npm script starts, or the script without a version if there is no such program.
 * Returns any other file with the version of its package, if it has one.
 */
async function resolveNpmScript(file: string): Promise<Program> {
  const real = await realpath(file);
  const root = packageAround(real, ["droid", "@factory/cli"]);
  if (root === undefined) return describeProgram(file, real);
  const native = nativeProgram(root, droidPrograms(thisPlatform));
  return native === undefined ? { file } : describeProgram(native);
}

async function findInModules(modules: string): Promise<Program | undefined> {
  const file = firstExecutable(modules, droidPrograms(thisPlatform));
  return file === undefined ? undefined : describeProgram(file);
}

/**
 * Returns the program's possible paths in node_modules. npm has one package per platform, and a second package for
 * older CPUs.
 */
export function droidPrograms({ platform, arch }: Platform): string[] {
  const name = platform === "win32" ? "droid.exe" : "droid";
  const builds = ["", "-baseline"];
  return builds.map((build) => `@factory/cli-${platform}-${arch}${build}/bin/${name}`);
}

async function describeProgram(file: string, real = file): Promise<Program> {
  const version = packageVersion(dirname(dirname(real)), /^(?:droid|@factory\/cli.*)$/);
  return { file, ...(version !== undefined && { version }) };
}
