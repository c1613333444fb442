import { setTimeout as delay } from "node:timers/promises";
import { isLocked } from "./errors.ts";

/**
 * How long SQLite blocks this process while it waits for a lock, in milliseconds. Long enough for another process's
 * commit.
 */
export const STANDSTILL_MS = 10;

const PAUSE_MS = 10;

/**
 * Retries while another process holds the lock, for at most `timeoutMs`. Returns a promise only if the first attempt
 * finds the database locked. Throws any other error. Other work of this process continues between the attempts.
 */
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
