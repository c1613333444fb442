import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readLockfile } from "./lockfiles.ts";
import { type NpmOptions, npmCi } from "./npm.ts";

/** A package to install, and the directory to install it into. */
export interface InstallRequest {
  /** The directory with the lockfile to install from. */
  readonly lock: URL;
  /** The directory to install into. It is replaced as a whole, or stays unchanged. */
  readonly directory: string;
  /** Called with the finished installation before it replaces an earlier one; if it rejects, nothing changes. */
  readonly verify: (staging: string) => Promise<void>;
}

/** Installs from a lockfile. The caller must hold the install lock, because leftover files are removed. */
export async function installPackage(
  { lock, directory, verify }: InstallRequest,
  options: NpmOptions,
): Promise<void> {
  const parent = dirname(directory);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await removeStagings(directory);
  const staging = await mkdtemp(join(parent, stagingPrefix(directory)));
  try {
    for (const [name, content] of Object.entries(await readLockfile(lock)))
      await writeFile(join(staging, name), content);
    await npmCi(staging, options);
    await verify(staging);
    await rm(directory, { recursive: true, force: true });
    await rename(staging, directory);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Removes the unfinished installations of killed processes. */
export async function removeStagings(directory: string): Promise<void> {
  const prefix = stagingPrefix(directory);
  const isStaging = (name: string): boolean =>
    name.startsWith(prefix) && /^\w{6}$/.test(name.slice(prefix.length));
  for (const name of (await readdir(dirname(directory))).filter(isStaging))
    await rm(join(dirname(directory), name), { recursive: true, force: true });
}

const stagingPrefix = (directory: string): string => `.${basename(directory)}-`;

/** True if something is installed in the directory, whether it works or not. */
export async function isInstalled(directory: string): Promise<boolean> {
  return (await readdir(directory).catch(() => [])).length > 0;
}
