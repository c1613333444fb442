import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
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

/** The npm package itself only starts the program, which is in a package per platform. */
async function findInstalled(runtimesDir: string): Promise<Program | undefined> {
  const scope = join(runtimesDir, "claude", "node_modules", "@anthropic-ai");
  const name = process.platform === "win32" ? "claude.exe" : "claude";
  for (const libc of ["", "-musl"]) {
    const platform = `claude-code-${process.platform}-${process.arch}${libc}`;
    const file = executable(join(scope, platform, name));
    if (file !== undefined) return describe(file);
  }
  return undefined;
}

/** Its own installer names the file after the version; npm's has a manifest beside the program or one above. */
async function describe(file: string): Promise<Program> {
  const real = await realpath(file);
  const isClaude = /^@anthropic-ai\/claude-/;
  const version =
    packageVersion(dirname(real), isClaude) ??
    packageVersion(dirname(dirname(real)), isClaude) ??
    /[/\\](\d+\.\d+\.\d+)(?:[/\\]|$)/.exec(real)?.[1];
  return { file, ...(version !== undefined && { version }) };
}
