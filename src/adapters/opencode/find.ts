import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import {
  executable,
  findProgram,
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
  for (const variant of await variants()) {
    const root = join(modules, `opencode-${process.platform}-${process.arch}${variant}`);
    const name = process.platform === "win32" ? "opencode.exe" : "opencode";
    const file = executable(join(root, "bin", name));
    if (file === undefined) continue;
    const version = packageVersion(root, /^opencode-/);
    return { file, ...(version !== undefined && { version }) };
  }
  return undefined;
}

/** The plain build needs newer instructions of the processor than the baseline one. */
async function variants(): Promise<string[]> {
  if (process.platform !== "linux") return ["", "-baseline"];
  const libc = isMusl() ? ["-musl", ""] : ["", "-musl"];
  const flags =
    process.arch === "x64" ? await readFile("/proc/cpuinfo", "utf8").catch(() => "") : "avx2";
  const builds = flags.includes("avx2") ? ["", "-baseline"] : ["-baseline", ""];
  return libc.flatMap((suffix) => builds.map((build) => `${build}${suffix}`));
}

function isMusl(): boolean {
  const report: unknown = process.report.getReport();
  const parsed = z.looseObject({ header: z.looseObject({ glibcVersionRuntime: z.string() }) });
  return !parsed.safeParse(report).success;
}
