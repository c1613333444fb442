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

export function findClaude(places: ProgramPlaces): Promise<Program> {
  return findProgram(searchIn(places));
}

export function probeClaude(places: ProgramPlaces): Promise<Availability> {
  return probeProgram(searchIn(places));
}

function searchIn({ bin, env, runtimesDir }: ProgramPlaces): ProgramSearch {
  return {
    displayName: "Claude Code",
    command: "claude",
    oldest: "2.1.197",
    env,
    bin,
    describe,
    installed: () => findInstalled(runtimesDir),
    hint: "run: halyard runtime install claude",
  };
}

/** The npm package only starts the program, which is in a package per platform. */
export function claudePrograms({ platform, arch }: Platform): string[] {
  return nativePrograms(`@anthropic-ai/claude-code-${platform}-${arch}`, platform);
}

/** The SDK has a copy of the program in packages of its own. */
export function sdkPrograms({ platform, arch }: Platform): string[] {
  return nativePrograms(`@anthropic-ai/claude-agent-sdk-${platform}-${arch}`, platform);
}

function nativePrograms(prefix: string, platform: string): string[] {
  const name = platform === "win32" ? "claude.exe" : "claude";
  return ["", "-musl"].map((libc) => `${prefix}${libc}/${name}`);
}

async function findInstalled(runtimesDir: string): Promise<Program | undefined> {
  const modules = join(runtimesDir, "claude", "node_modules");
  const file = firstExecutable(modules, claudePrograms(thisPlatform));
  return file === undefined ? undefined : describe(file);
}

/**
 * The program that is behind npm's script; the script's version says nothing if there is none. The program's own
 * installer names the file after the version; npm's has a manifest beside the program or one above.
 */
async function describe(file: string): Promise<Program> {
  const real = await realpath(file);
  const root = packageAround(real, ["@anthropic-ai/claude-code"]);
  if (root !== undefined) {
    const native = nativeProgram(root, claudePrograms(thisPlatform));
    return native === undefined ? { file } : describe(native);
  }
  const isClaude = /^@anthropic-ai\/claude-/;
  const version =
    packageVersion(dirname(real), isClaude) ??
    packageVersion(dirname(dirname(real)), isClaude) ??
    /[/\\](\d+\.\d+\.\d+)(?:[/\\]|$)/.exec(real)?.[1];
  return { file, ...(version !== undefined && { version }) };
}
