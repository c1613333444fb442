import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { PinnedPackage } from "../../adapters/versions.ts";
import { type NpmOptions, npmInstall } from "./npm.ts";

/** Fetches a package into a directory of its own, which is there whole or not at all. */
export async function installPackage(
  { name, version }: PinnedPackage,
  directory: string,
  options: NpmOptions,
): Promise<void> {
  await mkdir(dirname(directory), { recursive: true, mode: 0o700 });
  const staging = await mkdtemp(join(dirname(directory), `.${basename(directory)}-`));
  try {
    await writeFile(join(staging, "package.json"), '{ "private": true }\n');
    await npmInstall(`${name}@${version}`, staging, options);
    await rm(directory, { recursive: true, force: true });
    await rename(staging, directory);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Whether the package is there at the version we want. */
export async function isInstalled(
  { name, version }: PinnedPackage,
  directory: string,
): Promise<boolean> {
  try {
    const manifest = await readFile(join(directory, "node_modules", name, "package.json"), "utf8");
    const { version: found } = JSON.parse(manifest) as { version?: unknown };
    return found === version;
  } catch {
    return false;
  }
}
