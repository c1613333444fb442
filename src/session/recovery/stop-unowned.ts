import type { Session } from "../../contracts/halyard.ts";
import type { HalyardParts } from "../../contracts/halyard-parts.ts";
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
  parts: HalyardParts,
  id: SessionId,
  reason: string,
  attach: () => Promise<Session>,
): Promise<void> {
  const found = await requireRecord(parts, id);
  if (hasEnded(found.info)) return;
  const isAlive = await isRunning(parts, found);
  const session = isAlive ? await attach().catch(() => undefined) : undefined;
  if (session) return session.stop(reason);
  const left = await requireRecord(parts, id);
  if (hasEnded(left.info)) return;
  const log = new EventLog(parts, await claim(parts, left), left.info);
  if (isAlive) await endRecord(parts, log, { state: "stopped", reason });
  else await declareLost(parts, log);
  await log.release();
}
