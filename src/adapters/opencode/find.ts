import { constants } from "node:fs";
import { access, readFile, realpath } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { z } from "zod";
import { HalyardError, reasonOf } from "../../core/error.ts";
import { PATH_ELSEWHERE } from "../../core/program.ts";
import type { Availability } from "../../schema/runtime.ts";

/** OpenCode's program as it is installed. */
export interface Program {
  readonly file: string;
  /** Unknown for one that did not come from npm. */
  readonly version?: string;
}

export interface Places {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where `halyard runtime install` puts runtimes. */
  readonly runtimesDir: string;
  /** This one and no other: a path, or a name on the PATH. */
  readonly bin?: string | undefined;
}

/** The one that was asked for, the user's own, or ours. */
export async function findProgram({ env, runtimesDir, bin }: Places): Promise<Program> {
  if (env.PATH === PATH_ELSEWHERE) return { file: bin ?? "opencode" };
  if (bin !== undefined) {
    if (!isAbsolute(bin)) {
      const named = await findOnPath(env.PATH ?? "", bin);
      if (named) return named;
      throw unavailable(`there is no program ${bin}`);
    }
    if (await isProgram(bin)) return { file: bin };
    throw unavailable(`${bin} is not a program`);
  }
  const found = (await findOnPath(env.PATH ?? "")) ?? (await findInstalled(runtimesDir));
  if (found === undefined) throw unavailable("OpenCode is not installed");
  return found;
}

export async function probe(places: Places): Promise<Availability> {
  try {
    const { version } = await findProgram(places);
    return { available: true, ...(version !== undefined && { version }) };
  } catch (error) {
    const reason = reasonOf(error);
    return { available: false, reason, hint: installHint };
  }
}

const installHint = "run: halyard runtime install opencode";

function unavailable(reason: string): HalyardError {
  return new HalyardError("runtime_unavailable", reason);
}

async function findOnPath(path: string, name = "opencode"): Promise<Program | undefined> {
  for (const directory of path.split(delimiter).filter((part) => part !== "")) {
    const file = join(directory, name);
    if (!(await isProgram(file))) continue;
    const modules = /^(.*node_modules)[/\\]opencode-ai[/\\]/.exec(await realpath(file))?.[1];
    return modules === undefined ? { file } : ((await nativeProgram(modules)) ?? { file });
  }
  return undefined;
}

function findInstalled(runtimesDir: string): Promise<Program | undefined> {
  return nativeProgram(join(runtimesDir, "opencode", "node_modules"));
}

/** The npm package only chooses between builds for this platform; we run the chosen one ourselves. */
async function nativeProgram(modules: string): Promise<Program | undefined> {
  for (const variant of await variants()) {
    const root = join(modules, `opencode-${process.platform}-${process.arch}${variant}`);
    const file = join(root, "bin", process.platform === "win32" ? "opencode.exe" : "opencode");
    if (!(await isProgram(file))) continue;
    const version = await readVersion(join(dirname(dirname(file)), "package.json"));
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

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function readVersion(manifest: string): Promise<string | undefined> {
  try {
    const { version } = z
      .looseObject({ version: z.string() })
      .parse(JSON.parse(await readFile(manifest, "utf8")));
    return version;
  } catch {
    return undefined;
  }
}
