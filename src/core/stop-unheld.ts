import type { SessionId } from "../schema/id.ts";
import { claim, requireRecord } from "./claim.ts";
import { EventLog } from "./event-log.ts";
import type { Session } from "./halyard.ts";
import type { Machine } from "./machine.ts";
import { hasEnded } from "./projection.ts";
import { declareLost, endRecord, isRunning } from "./recovery.ts";

/**
 * Ends a session that nobody holds. One that runs is taken hold of first, so that all it has said is in its log; where
 * that cannot be done, it is ended without.
 */
export async function stopUnheld(
  machine: Machine,
  id: SessionId,
  reason: string,
  takeHold: () => Promise<Session>,
): Promise<void> {
  const found = await requireRecord(machine, id);
  if (hasEnded(found.info)) return;
  const goesOn = await isRunning(machine, found);
  const session = goesOn ? await takeHold().catch(() => undefined) : undefined; // ended all the same
  if (session) return session.stop(reason);
  const left = await requireRecord(machine, id);
  if (hasEnded(left.info)) return;
  const log = new EventLog(machine, await claim(machine, left), left.info);
  if (goesOn) await endRecord(machine, log, { state: "stopped", reason });
  else await declareLost(machine, log);
  await log.release();
}
