import { setTimeout as sleep } from "node:timers/promises";
import type { Halyard } from "../contracts/halyard.ts";
import { liveStates } from "../schema/session/session-state.ts";

export interface IdleOptions {
  /** How long the daemon stays idle before it exits, in milliseconds. 0 means no limit. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
  /** Returns true while clients need the daemon even without a live session, for example while an open page reads events. */
  readonly isWatched: () => boolean;
}

/** Resolves when no session has been live and `isWatched` has returned false for `idleMs`, or when the signal is aborted. */
export async function untilIdle(
  halyard: Halyard,
  { idleMs, signal, isWatched }: IdleOptions,
): Promise<void> {
  let leftMs = idleMs;
  const stepMs = idleMs === 0 ? LONGEST_STEP_MS : Math.min(idleMs / 4, LONGEST_STEP_MS);
  while (!signal.aborted) {
    await sleep(stepMs, undefined, { signal }).catch(() => {}); // rejects only if the signal is aborted
    if (idleMs === 0) continue;
    const live = await halyard.sessions({ states: liveStates, limit: 1 });
    leftMs = live.length > 0 || isWatched() ? idleMs : leftMs - stepMs;
    if (leftMs <= 0) return;
  }
}

/** The longest step in milliseconds. Idle time is counted in steps, because the system clock can jump. */
const LONGEST_STEP_MS = 15_000;
