import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Platform, thisPlatform } from "../../core/platform.ts";
import {
  findProgram,
  firstExecutable,
  nativeProgram,
  type Program,
  type ProgramPlaces,
  type ProgramSearch,
  packageAround,
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
    oldest: "1.0.0",
    env,
    bin,
    describe: behindScript,
    installed: () => findInstalled(runtimesDir),
    hint: "run: halyard runtime install opencode",
  };
}

/** A program that npm did not install has an unknown version. */
async function behindScript(file: string): Promise<Program> {
  const root = packageAround(await realpath(file), ["opencode-ai"]);
  const native = root && nativeProgram(root, opencodePrograms(thisPlatform));
  return native === undefined ? { file } : described(native);
}

/** The npm package only chooses between builds for this platform; we run the chosen one ourselves. */
async function findInstalled(runtimesDir: string): Promise<Program | undefined> {
  const modules = join(runtimesDir, "opencode", "node_modules");
  const file = firstExecutable(modules, opencodePrograms(thisPlatform));
  return file === undefined ? undefined : described(file);
}

function described(file: string): Program {
  const version = packageVersion(dirname(dirname(file)), /^opencode-/);
  return { file, ...(version !== undefined && { version }) };
}

/** npm installs builds that do not run here too: the plain one needs AVX2, the other ones do not. */
export function opencodePrograms({ platform, arch, isMusl, hasAvx2 }: Platform): string[] {
  const [system, name] =
    platform === "win32" ? ["windows", "opencode.exe"] : [platform, "opencode"];
  const builds = hasAvx2 ? ["", "-baseline"] : ["-baseline", ""];
  const libraries = platform !== "linux" ? [""] : isMusl ? ["-musl", ""] : ["", "-musl"];
  return libraries.flatMap((libc) =>
    builds.map((build) => `opencode-${system}-${arch}${build}${libc}/bin/${name}`),
  );
}
