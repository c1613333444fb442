import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Platform, thisPlatform } from "../../programs/platform.ts";
import {
  findProgram,
  firstExecutable,
  nativeProgram,
  type Program,
  type ProgramPaths,
  type ProgramSearch,
  packageAround,
  packageVersion,
  probeProgram,
} from "../../programs/program.ts";
import type { Availability } from "../../schema/runtimes/runtime-info.ts";

/** The oldest supported version. */
export const OLDEST = "1.1.0";

/** Finds the OpenCode program. Throws `runtime_unavailable` if there is none with a supported version. */
export function findOpenCode(paths: ProgramPaths): Promise<Program> {
  return findProgram(searchIn(paths));
}

/** Returns the OpenCode program and its version, or the reason why OpenCode is not available. */
export function probeOpenCode(paths: ProgramPaths): Promise<Availability> {
  return probeProgram(searchIn(paths));
}

function searchIn({ bin, env, runtimesDir }: ProgramPaths): ProgramSearch {
  return {
    displayName: "OpenCode",
    command: "opencode",
    oldest: OLDEST,
    before: {
      version: "2",
      advice:
        'OpenCode 2 has a different API. Run it over ACP: halyard run --runtime acp --command "opencode acp"',
    },
    env,
    bin,
    describe: resolveNpmScript,
    installed: () => findInstalled(runtimesDir),
    hint: 'run "halyard runtime install opencode"',
  };
}

/** Returns the native program that an npm script starts. Returns `file` without a version if there is no such program. */
async function resolveNpmScript(file: string): Promise<Program> {
  const root = packageAround(await realpath(file), ["opencode-ai"]);
  const native = root && nativeProgram(root, opencodePrograms(thisPlatform));
  return native === undefined ? { file } : describeProgram(native);
}

/** Finds the native build that Halyard installed. Skips the npm package's script, which only starts a build. */
async function findInstalled(runtimesDir: string): Promise<Program | undefined> {
  const modules = join(runtimesDir, "opencode", "node_modules");
  const file = firstExecutable(modules, opencodePrograms(thisPlatform));
  return file === undefined ? undefined : describeProgram(file);
}

function describeProgram(file: string): Program {
  const version = packageVersion(dirname(dirname(file)), /^opencode-/);
  return { file, ...(version !== undefined && { version }) };
}

/**
 * Returns the paths of the builds, best first. npm also installs builds that cannot run on this machine: the default
 * build requires AVX2.
 */
export function opencodePrograms({ platform, arch, isMusl, hasAvx2 }: Platform): string[] {
  const [system, name] =
    platform === "win32" ? ["windows", "opencode.exe"] : [platform, "opencode"];
  const builds = hasAvx2 ? ["", "-baseline"] : ["-baseline", ""];
  const libraries = platform !== "linux" ? [""] : isMusl ? ["-musl", ""] : ["", "-musl"];
  return libraries.flatMap((libc) =>
    builds.map((build) => `opencode-${system}-${arch}${build}${libc}/bin/${name}`),
  );
}
