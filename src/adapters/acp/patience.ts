import { setTimeout as delay } from "node:timers/promises";
import type { HostProcess } from "../../core/host.ts";

/** What shows whether a program is at work. */
export type Watched = Pick<HostProcess, "stderrTail" | "waitedMs">;

/**
 * Resolves once a program has given no sign of life for so long: nothing new on standard error, and the time not
 * counted that it was kept waiting for a processor. Whoever keeps talking is given up on after a minute all the same.
 * Tells how long it was waited for; undefined where the signal came first.
 */
export async function untilSilent(
  process: Watched,
  { limitMs, signal }: { limitMs: number; signal: AbortSignal },
): Promise<number | undefined> {
  const waitedMs = async (): Promise<number> => (await process.waitedMs?.()) ?? 0;
  const began = performance.now();
  const endsAt = began + Math.max(limitMs, LONGEST_MS);
  let sign = { at: began, waited: 0, said: "" };
  while (!signal.aborted) {
    const now = performance.now();
    if (now >= endsAt) return endsAt - began;
    const said = await process.stderrTail();
    if (said !== sign.said) sign = { at: now, waited: await waitedMs(), said };
    const isDue = now - sign.at >= limitMs;
    if (isDue && now - sign.at - ((await waitedMs()) - sign.waited) >= limitMs) return limitMs;
    await delay(Math.min(LOOK_EVERY_MS, limitMs), undefined, { signal }).catch(() => {}); // it has answered
  }
  return undefined;
}

const LONGEST_MS = 60_000;

const LOOK_EVERY_MS = 250;
