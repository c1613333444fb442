import type { Session } from "../../contracts/halyard.ts";
import type { Machine } from "../../contracts/machine.ts";
import { EventLog } from "../../log/event-log.ts";
import { hasEnded } from "../../log/projection.ts";
import type { SessionId } from "../../schema/id.ts";
import { claim, requireRecord } from "./claim.ts";
import { declareLost, endRecord, isRunning } from "./recovery.ts";

/**
 * Stops a session that no process owns. If its runtime is still running, attaches first, so that all of its output is
 * in the log. If the attach fails, ends the session without the remaining output. If the runtime is not running, records
 * the session as `lost`. Has no effect if the session has ended.
 */
export async function stopUnowned(
  machine: Machine,
  id: SessionId,
  reason: string,
  attach: () => Promise<Session>,
): Promise<void> {
  const found = await requireRecord(machine, id);
  if (hasEnded(found.info)) return;
  const isAlive = await isRunning(machine, found);
  const session = isAlive ? await attach().catch(() => undefined) : undefined;
  if (session) return session.stop(reason);
  const left = await requireRecord(machine, id);
  if (hasEnded(left.info)) return;
  const log = new EventLog(machine, await claim(machine, left), left.info);
  if (isAlive) await endRecord(machine, log, { state: "stopped", reason });
  else await declareLost(machine, log);
  await log.release();
}
