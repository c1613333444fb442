import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Platform, thisPlatform } from "../../core/platform.ts";
import {
  findProgram,
  firstExecutable,
  type Program,
  type ProgramPlaces,
  type ProgramSearch,
  packageVersion,
  probeProgram,
} from "../../core/program.ts";
import type { Availability } from "../../schema/runtime-info.ts";

export function findOpenCode(places: ProgramPlaces): Promise<Program> {
  return findProgram(searchIn(places));
}

export function probeOpenCode(places: ProgramPlaces): Promise<Availability> {
  return probeProgram(searchIn(places));
}

function searchIn({ bin, env, runtimesDir }: ProgramPlaces): ProgramSearch {
  return {
    displayName: "OpenCode",
    command: "opencode",
    oldest: "0",
    env,
    bin,
    describe: behindScript,
    installed: () => nativeProgram(join(runtimesDir, "opencode", "node_modules")),
    hint: "run: halyard runtime install opencode",
  };
}

/** What npm did not install is taken as it is. */
async function behindScript(file: string): Promise<Program> {
  const modules = /^(.*node_modules)[/\\]opencode-ai[/\\]/.exec(await realpath(file))?.[1];
  return (modules !== undefined && (await nativeProgram(modules))) || { file };
}

/** The npm package only chooses between builds for this platform; we run the chosen one ourselves. */
async function nativeProgram(modules: string): Promise<Program | undefined> {
  const file = firstExecutable(modules, opencodePrograms(thisPlatform));
  if (file === undefined) return undefined;
  const version = packageVersion(dirname(dirname(file)), /^opencode-/);
  return { file, ...(version !== undefined && { version }) };
}

/** npm installs builds that do not run here too: the plain one needs AVX2, the other ones do not. */
export function opencodePrograms({ platform, arch, isMusl, hasAvx2 }: Platform): string[] {
  const name = platform === "win32" ? "opencode.exe" : "opencode";
  const builds = hasAvx2 ? ["", "-baseline"] : ["-baseline", ""];
  const libraries = platform !== "linux" ? [""] : isMusl ? ["-musl", ""] : ["", "-musl"];
  return libraries.flatMap((libc) =>
    builds.map((build) => `opencode-${platform}-${arch}${build}${libc}/bin/${name}`),
  );
}
