import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readLockfile } from "./lockfiles.ts";
import { type NpmOptions, npmCi } from "./npm.ts";

/** A package to install, and the directory to install it into. */
export interface InstallRequest {
  /** The directory with the lockfile to install from. */
  readonly lock: URL;
  /** The directory to install into. It is replaced completely or not at all. */
  readonly directory: string;
  /**
   * Called with the directory of the new installation before it replaces an earlier one. If the callback rejects,
   * nothing is replaced.
   */
  readonly verify: (staging: string) => Promise<void>;
}

/**
 * Installs from a lockfile. The caller must hold the install lock, because the function also removes the files of
 * interrupted installations.
 */
export async function installPackage(
  { lock, directory, verify }: InstallRequest,
  options: NpmOptions,
): Promise<void> {
  const parent = dirname(directory);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await restorePrevious(directory);
  await removeStagings(directory);
  const staging = await mkdtemp(join(parent, stagingPrefix(directory)));
  try {
    for (const [name, content] of Object.entries(await readLockfile(lock)))
      await writeFile(join(staging, name), content);
    await npmCi(staging, options);
    await verify(staging);
    await replace(directory, staging);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Replaces an installation. The earlier installation is kept until the new one is in place. */
async function replace(directory: string, staging: string): Promise<void> {
  const previous = previousOf(directory);
  await rm(previous, { recursive: true, force: true });
  if (existsSync(directory)) await rename(directory, previous);
  await rename(staging, directory);
  await rm(previous, { recursive: true, force: true });
}

/** Restores the earlier installation if a process was killed while replacing it. */
async function restorePrevious(directory: string): Promise<void> {
  const previous = previousOf(directory);
  if (!existsSync(directory) && existsSync(previous)) await rename(previous, directory);
}

const previousOf = (directory: string): string =>
  join(dirname(directory), `.${basename(directory)}-previous`);

/** Removes the unfinished installations of killed processes. */
export async function removeStagings(directory: string): Promise<void> {
  const prefix = stagingPrefix(directory);
  const isStaging = (name: string): boolean =>
    name.startsWith(prefix) && /^\w{6}$/.test(name.slice(prefix.length));
  for (const name of (await readdir(dirname(directory))).filter(isStaging))
    await rm(join(dirname(directory), name), { recursive: true, force: true });
}

const stagingPrefix = (directory: string): string => `.${basename(directory)}-`;

/** True if the directory contains an installation, whether or not it works. */
export async function isInstalled(directory: string): Promise<boolean> {
  return (await readdir(directory).catch(() => [])).length > 0;
}
