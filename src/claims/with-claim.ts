import { rmdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { claimDirectory } from "./claim.ts";

export interface ClaimOptions {
  /** Called once if another process has the claim. */
  readonly onWait?: () => void;
  /** Aborts the wait for the claim. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Waits until this process has the claim on a directory, runs `work` and releases the claim. Then removes the directory,
 * unless it contains the claim of another process.
 */
export async function withClaim<T>(
  directory: string,
  { onWait, signal }: ClaimOptions,
  work: () => Promise<T>,
): Promise<T> {
  let release = await tryClaim(directory);
  if (release === undefined) onWait?.();
  while (release === undefined) {
    await sleep(POLL_MS * (0.5 + Math.random()), undefined, { ...(signal && { signal }) });
    release = await tryClaim(directory);
  }
  try {
    return await work();
  } finally {
    await release();
    await rmdir(directory).catch(() => {}); // fails if another process has written its claim
  }
}

const POLL_MS = 200;

/** Claims the directory. Returns undefined if another process has the claim or is removing the directory. */
async function tryClaim(directory: string): Promise<(() => Promise<void>) | undefined> {
  try {
    return await claimDirectory(directory);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
