import type { Halyard } from "../contracts/halyard.ts";
import { hasEnded } from "../log/projection.ts";
import { liveStates } from "../schema/session/session-state.ts";

/**
 * Stops the live sessions of a machine, each after its turns have ended. A stopped session is saved, so that another
 * machine can continue it. Resolves early if the signal is aborted.
 */
export async function drainSessions(
  own: Halyard,
  machine: string,
  signal: AbortSignal,
): Promise<void> {
  const live = await own.sessions({ states: liveStates });
  const here = live.filter((info) => info.machine === machine);
  await Promise.all(here.map(({ id }) => stopWhenIdle(own, id, signal)));
}

async function stopWhenIdle(own: Halyard, id: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const info = await own.find(id);
    if (info === undefined || hasEnded(info)) return;
    if (info.turn === undefined && info.queue.length === 0) return own.stop(id, DRAINED);
    for await (const _ of own.batches(id, { after: info.lastSeq, signal })) break;
  }
}

/** The stop reason of a session that a drain stopped. Another machine can continue it. */
export const DRAINED = "drained";
