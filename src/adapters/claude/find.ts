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

/** Finds the Claude Code executable and its version. Rejects with `runtime_unavailable` if there is none. */
export function findClaude(paths: ProgramPaths): Promise<Program> {
  return findProgram(searchFor(paths));
}

/** Checks whether a usable Claude Code executable exists. */
export function probeClaude(paths: ProgramPaths): Promise<Availability> {
  return probeProgram(searchFor(paths));
}

function searchFor({ bin, env, runtimesDir }: ProgramPaths): ProgramSearch {
  return {
    displayName: "Claude Code",
    command: "claude",
    oldest: "2.1.197",
    env,
    bin,
    describe,
    installed: () => findInstalled(runtimesDir),
    hint: 'run "halyard runtime install claude"',
  };
}

/**
 * Returns the possible paths of the executable, relative to `node_modules`. npm's main package is a launcher; the
 * executable is in a platform package.
 */
export function claudePrograms({ platform, arch }: Platform): string[] {
  return nativePrograms(`@anthropic-ai/claude-code-${platform}-${arch}`, platform);
}

/** Returns the possible paths of the executable that the Agent SDK installs, relative to `node_modules`. */
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
 * Resolves npm's launcher script to the native executable and reads the version. The version is in the package manifest
 * beside or above the executable or, with Claude's own installer, in the file name. The version is unknown if the
 * launcher has no executable.
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
