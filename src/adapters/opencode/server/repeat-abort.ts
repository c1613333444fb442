import { setTimeout as delay } from "node:timers/promises";
import type { RenewableLink } from "./renewable-link.ts";

/**
 * Repeats the abort up to three times while the turn is open, because OpenCode ignores an abort that arrives before the
 * turn starts.
 */
export async function repeatAbort(link: RenewableLink, isOpen: () => boolean): Promise<void> {
  for (const pauseMs of ABORT_PAUSES_MS) {
    await delay(pauseMs, undefined, { ref: false });
    const current = await link.current();
    if (current === undefined || !isOpen()) return;
    await current.api.abort(current.sessionId);
  }
}

/** The delays between repeated aborts, in milliseconds. */
const ABORT_PAUSES_MS = [1500, 2000, 4000];
