import { setTimeout as sleep } from "node:timers/promises";
import type { Halyard } from "../core/halyard.ts";
import { liveStates } from "../schema/session-state.ts";

export interface IdleOptions {
  /** For how long there has to be nothing; 0 is for ever. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
}

/** Resolves once no session has lived for that time, or when told to. */
export async function untilIdle(halyard: Halyard, { idleMs, signal }: IdleOptions): Promise<void> {
  let leftMs = idleMs;
  const stepMs = idleMs === 0 ? LONGEST_STEP_MS : Math.min(idleMs / 4, LONGEST_STEP_MS);
  while (!signal.aborted) {
    await sleep(stepMs, undefined, { signal }).catch(() => {}); // told to end
    if (idleMs === 0) continue;
    const live = await halyard.sessions({ states: liveStates, limit: 1 });
    leftMs = live.length > 0 ? idleMs : leftMs - stepMs;
    if (leftMs <= 0) return;
  }
}

/** By steps and not by the clock, which may jump. */
const LONGEST_STEP_MS = 15_000;
