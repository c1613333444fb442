import { setTimeout as delay } from "node:timers/promises";
import { isLocked } from "./errors.ts";

/**
 * How long SQLite itself waits for a lock, with the whole process standing still: long enough for another
 * process's commit, short enough for nobody to notice.
 */
export const STANDSTILL_MS = 10;

const PAUSE_MS = 10;

/** Tries again while somebody else holds the lock, and lets the process go on with other work in between. */
export function retryWhileLocked<T>(attempt: () => T, timeoutMs: number): T | Promise<T> {
  try {
    return attempt();
  } catch (error) {
    if (!isLocked(error)) throw error;
    return retry(attempt, timeoutMs, error);
  }
}

async function retry<T>(attempt: () => T, timeoutMs: number, reason: unknown): Promise<T> {
  let error = reason;
  for (let waitedMs = STANDSTILL_MS; waitedMs < timeoutMs; waitedMs += PAUSE_MS + STANDSTILL_MS) {
    await delay(PAUSE_MS);
    try {
      return attempt();
    } catch (latest) {
      if (!isLocked(latest)) throw latest;
      error = latest;
    }
  }
  throw error;
}
