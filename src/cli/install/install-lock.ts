import { mkdir, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { claimDirectory } from "../../daemon/claim.ts";

export interface InstallLockOptions {
  /** Called once if another process has the lock. */
  readonly onWait: () => void;
  readonly signal?: AbortSignal;
}

/** Runs `work` while no other process installs into or removes that directory. */
export async function withInstallLock<T>(
  directory: string,
  { onWait, signal }: InstallLockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const parent = dirname(directory);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const claims = join(parent, `.${basename(directory)}.lock`);
  let release = await tryClaim(claims);
  if (release === undefined) onWait();
  while (release === undefined) {
    await sleep(POLL_MS * (0.5 + Math.random()), undefined, { ...(signal && { signal }) });
    release = await tryClaim(claims);
  }
  try {
    return await work();
  } finally {
    await release();
    await rmdir(claims).catch(() => {}); // another process waits there
  }
}

const POLL_MS = 200;

/** The process that releases the lock removes the directory, perhaps while this one writes into it. */
async function tryClaim(claims: string): Promise<(() => Promise<void>) | undefined> {
  try {
    return await claimDirectory(claims);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
