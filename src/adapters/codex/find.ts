import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { type Platform, thisPlatform } from "../../programs/platform.ts";
import {
  nativeProgram,
  type Program,
  type ProgramPaths,
  type ProgramSearch,
  packageAround,
  packageVersion,
} from "../../programs/program.ts";

/** The oldest version of Codex that Halyard supports. */
export const OLDEST = "0.163.0";

/** Describes how to find the Codex executable. Resolves npm's launcher script to the native executable. */
export function codexSearch({ bin, env, runtimesDir }: ProgramPaths): ProgramSearch {
  return {
    displayName: "Codex",
    command: "codex",
    oldest: OLDEST,
    env,
    bin,
    describe: resolveLauncher,
    installed: async () =>
      readPackage(join(runtimesDir, "codex", "node_modules", "@openai", "codex")),
    hint: 'run "halyard runtime install codex"',
  };
}

/** Resolves npm's launcher script. The version is unknown if npm did not install the program. */
async function resolveLauncher(file: string): Promise<Program> {
  const root = packageAround(await realpath(file), ["@openai/codex"]);
  return (root !== undefined && readPackage(root)) || { file };
}

function readPackage(root: string): Program | undefined {
  const file = nativeProgram(root, codexPrograms(thisPlatform));
  if (file === undefined) return undefined;
  const version = packageVersion(root, /^@openai\/codex$/);
  return { file, ...(version !== undefined && { version }) };
}

/** Returns the executable's possible paths in `node_modules`. In older releases, the main package contains the executable. */
export function codexPrograms({ platform, arch }: Platform): string[] {
  const target = targets[`${platform}-${arch}`];
  if (target === undefined) return [];
  const name = platform === "win32" ? "codex.exe" : "codex";
  const packages = [`@openai/codex-${platform}-${arch}`, "@openai/codex"];
  return packages.map((one) => `${one}/vendor/${target}/bin/${name}`);
}

const targets: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
  "win32-x64": "x86_64-pc-windows-msvc",
  "win32-arm64": "aarch64-pc-windows-msvc",
};
