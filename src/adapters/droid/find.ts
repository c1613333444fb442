import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Platform, thisPlatform } from "../../core/platform.ts";
import {
  firstExecutable,
  nativeProgram,
  type Program,
  type ProgramPlaces,
  type ProgramSearch,
  packageAround,
  packageVersion,
} from "../../core/program.ts";

/** How Droid is looked for: the program itself, never the script that npm puts before it. */
export function droidSearch({ bin, env, runtimesDir }: ProgramPlaces): ProgramSearch {
  return {
    displayName: "Droid",
    command: "droid",
    oldest: "0.215.0",
    env,
    bin,
    describe: behindScript,
    installed: () => inModules(join(runtimesDir, "droid", "node_modules")),
    hint: "run: halyard runtime install droid",
  };
}

/** The program that is behind npm's script; the script's version says nothing if there is none. */
async function behindScript(file: string): Promise<Program> {
  const real = await realpath(file);
  const root = packageAround(real, ["droid", "@factory/cli"]);
  if (root === undefined) return described(file, real);
  const native = nativeProgram(root, droidPrograms(thisPlatform));
  return native === undefined ? { file } : described(native);
}

async function inModules(modules: string): Promise<Program | undefined> {
  const file = firstExecutable(modules, droidPrograms(thisPlatform));
  return file === undefined ? undefined : described(file);
}

/** npm puts the program into a package per platform, and into another one for older processors. */
export function droidPrograms({ platform, arch }: Platform): string[] {
  const name = platform === "win32" ? "droid.exe" : "droid";
  const builds = ["", "-baseline"];
  return builds.map((build) => `@factory/cli-${platform}-${arch}${build}/bin/${name}`);
}

async function described(file: string, real = file): Promise<Program> {
  const version = packageVersion(dirname(dirname(real)), /^(?:droid|@factory\/cli.*)$/);
  return { file, ...(version !== undefined && { version }) };
}
