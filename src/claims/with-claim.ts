import { rmdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { claimDirectory } from "./claim.ts";

export interface ClaimOptions {
  /** Called once if another process has the claim. */
  readonly onWait?: () => void;
  /** Ends the wait for the claim. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs `work` while no other process has a claim on that directory. The directory exists only meanwhile. */
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
    await rmdir(directory).catch(() => {}); // another process waits there
  }
}

const POLL_MS = 200;

/** The process that releases the claim removes the directory, perhaps while this one writes into it. */
async function tryClaim(directory: string): Promise<(() => Promise<void>) | undefined> {
  try {
    return await claimDirectory(directory);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
