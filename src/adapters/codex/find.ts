import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { type Platform, thisPlatform } from "../../core/platform.ts";
import {
  nativeProgram,
  type Program,
  type ProgramPlaces,
  type ProgramSearch,
  packageAround,
  packageVersion,
} from "../../core/program.ts";

/** The first release known to speak as we expect it to. */
export const OLDEST = "0.163.0";

/** How Codex is looked for: the program itself, never the script that npm puts before it. */
export function codexSearch({ bin, env, runtimesDir }: ProgramPlaces): ProgramSearch {
  return {
    displayName: "Codex",
    command: "codex",
    oldest: OLDEST,
    env,
    bin,
    describe: behindScript,
    installed: async () =>
      inPackage(join(runtimesDir, "codex", "node_modules", "@openai", "codex")),
    hint: "run: halyard runtime install codex",
  };
}

/** A program that npm did not install has an unknown version. */
async function behindScript(file: string): Promise<Program> {
  const root = packageAround(await realpath(file), ["@openai/codex"]);
  return (root !== undefined && inPackage(root)) || { file };
}

function inPackage(root: string): Program | undefined {
  const file = nativeProgram(root, codexPrograms(thisPlatform));
  if (file === undefined) return undefined;
  const version = packageVersion(root, /^@openai\/codex$/);
  return { file, ...(version !== undefined && { version }) };
}

/** Releases before the packages per platform have the program in the package itself. */
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
