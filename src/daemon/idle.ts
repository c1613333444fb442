import { setTimeout as sleep } from "node:timers/promises";
import type { Halyard } from "../contracts/halyard.ts";
import { liveStates } from "../schema/session-state.ts";

export interface IdleOptions {
  /** How long no session may be live before the daemon exits. Zero means never. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
}

/** Resolves when no session has been live for `idleMs`, or when the signal is aborted. */
export async function untilIdle(halyard: Halyard, { idleMs, signal }: IdleOptions): Promise<void> {
  let leftMs = idleMs;
  const stepMs = idleMs === 0 ? LONGEST_STEP_MS : Math.min(idleMs / 4, LONGEST_STEP_MS);
  while (!signal.aborted) {
    await sleep(stepMs, undefined, { signal }).catch(() => {}); // aborted
    if (idleMs === 0) continue;
    const live = await halyard.sessions({ states: liveStates, limit: 1 });
    leftMs = live.length > 0 ? idleMs : leftMs - stepMs;
    if (leftMs <= 0) return;
  }
}

/** Idle time is counted in steps instead of wall-clock time, because the clock can jump. */
const LONGEST_STEP_MS = 15_000;
