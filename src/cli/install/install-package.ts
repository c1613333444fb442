import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { PinnedPackage } from "../../adapters/versions.ts";
import type { Environment } from "../../config/paths.ts";
import { HalyardError } from "../../core/error.ts";

export interface InstallOptions {
  readonly env: Environment;
  /** How many files have come so far. */
  readonly onProgress: (files: number) => void;
  readonly signal?: AbortSignal;
}

/** Whether the package is there at the version we want. */
export async function isInstalled(
  { name, version }: PinnedPackage,
  directory: string,
): Promise<boolean> {
  try {
    const manifest = await readFile(join(directory, "node_modules", name, "package.json"), "utf8");
    return (JSON.parse(manifest) as { version: unknown }).version === version;
  } catch {
    return false;
  }
}

/** Has npm fetch a package into a directory of its own, which is there whole or not at all. Runs no install scripts. */
export async function installPackage(
  wanted: PinnedPackage,
  directory: string,
  options: InstallOptions,
): Promise<void> {
  await mkdir(dirname(directory), { recursive: true, mode: 0o700 });
  const staging = await mkdtemp(join(dirname(directory), `.${basename(directory)}-`));
  try {
    await writeFile(join(staging, "package.json"), '{ "private": true }\n');
    await runNpm(`${wanted.name}@${wanted.version}`, staging, options);
    await rm(directory, { recursive: true, force: true });
    await rename(staging, directory);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

const FLAGS = [
  "--ignore-scripts",
  "--save-exact",
  "--global=false",
  "--no-audit",
  "--no-fund",
  "--loglevel=http",
];

function runNpm(specifier: string, cwd: string, options: InstallOptions): Promise<void> {
  const { env, onProgress, signal } = options;
  const args = ["install", specifier, `--prefix=${cwd}`, ...FLAGS];
  return new Promise((resolve, reject) => {
    const npm = spawn("npm", args, {
      cwd,
      env: { ...env },
      stdio: ["ignore", "ignore", "pipe"],
      ...(signal && { signal }),
    });
    let files = 0;
    let said: string[] = [];
    npm.stderr.setEncoding("utf8").on("data", (text: string) => {
      files += text.split("npm http fetch").length - 1;
      onProgress(files);
      said = [...said, ...text.split("\n").filter((line) => line.startsWith("npm error"))].slice(
        -5,
      );
    });
    npm.once("error", (cause) =>
      reject(failure(specifier, signal?.aborted ? "it was interrupted" : cause.message, signal)),
    );
    npm.once("close", (code) => {
      if (code === 0) resolve();
      else
        reject(failure(specifier, said.join("\n") || `npm ended with exit code ${code}`, signal));
    });
  });
}

function failure(specifier: string, reason: string, signal: AbortSignal | undefined): HalyardError {
  const code = signal?.aborted ? "cancelled" : "runtime_unavailable";
  return new HalyardError(code, `npm could not fetch ${specifier}: ${reason}`);
}
