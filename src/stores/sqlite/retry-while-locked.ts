import { setTimeout as delay } from "node:timers/promises";
import { isLocked } from "./errors.ts";

/**
 * How long SQLite itself waits for a lock, with the whole process standing still: long enough for another
 * process's commit, short enough for nobody to notice.
 */
export const STANDSTILL_MS = 10;

const PAUSE_MS = 10;

/** Tries again while somebody else holds the lock, and lets the process go on with other work in between. */
export async function retryWhileLocked<T>(attempt: () => T, timeoutMs: number): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
    try {
      return attempt();
    } catch (error) {
      waitedMs += STANDSTILL_MS;
      if (!isLocked(error) || waitedMs >= timeoutMs) throw error;
    }
    await delay(PAUSE_MS);
  }
}
