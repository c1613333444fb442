import { setTimeout as delay } from "node:timers/promises";
import type { HostProcess } from "../../../contracts/host.ts";

/** The parts of a process that show its activity. */
export type WatchedProcess = Pick<HostProcess, "stderrTail" | "waitedMs">;

/**
 * Resolves when a process has written nothing to stderr for `limitMs`. Time that the process waits for a CPU does not
 * count. Resolves at the latest after 60 s, or after `limitMs` if that is longer. The result is the limit that elapsed, in
 * milliseconds, or undefined if the signal is aborted first.
 */
export async function untilSilent(
  process: WatchedProcess,
  { limitMs, signal }: { limitMs: number; signal: AbortSignal },
): Promise<number | undefined> {
  const waitedMs = async (): Promise<number> => (await process.waitedMs?.()) ?? 0;
  const began = performance.now();
  const endsAt = began + Math.max(limitMs, MAX_WAIT_MS);
  let activity = { at: began, waited: 0, stderr: "" };
  while (!signal.aborted) {
    const now = performance.now();
    if (now >= endsAt) return endsAt - began;
    const stderr = await process.stderrTail();
    if (stderr !== activity.stderr) activity = { at: now, waited: await waitedMs(), stderr };
    const isDue = now - activity.at >= limitMs;
    if (isDue && now - activity.at - ((await waitedMs()) - activity.waited) >= limitMs)
      return limitMs;
    // rejects only if the signal is aborted, because the program has responded
    await delay(Math.min(POLL_MS, limitMs), undefined, { signal }).catch(() => {});
  }
  return undefined;
}

const MAX_WAIT_MS = 60_000;

const POLL_MS = 250;
