import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Platform, thisPlatform } from "../../core/platform.ts";
import {
  firstExecutable,
  type Program,
  type ProgramPlaces,
  type ProgramSearch,
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
    installed: () => inPackage(join(runtimesDir, "codex", "node_modules", "@openai", "codex")),
    hint: "run: halyard runtime install codex",
  };
}

/** What npm did not install is taken as it is. */
async function behindScript(file: string): Promise<Program> {
  const script = await realpath(file);
  if (basename(script) !== "codex.js") return { file };
  return (await inPackage(dirname(dirname(script)))) ?? { file };
}

/** npm installs the platform's package inside of or beside the one that has the script. */
async function inPackage(root: string): Promise<Program | undefined> {
  const modules = [join(root, "node_modules"), dirname(dirname(root))];
  for (const directory of modules) {
    const file = firstExecutable(directory, codexPrograms(thisPlatform));
    if (file === undefined) continue;
    const version = packageVersion(root, /^@openai\/codex$/);
    return { file, ...(version !== undefined && { version }) };
  }
  return undefined;
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
