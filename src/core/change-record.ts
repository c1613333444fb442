import type { SessionChanges, SessionInfo } from "../schema/session.ts";
import { claim } from "./claim.ts";
import { HalyardError } from "./error.ts";
import { EventLog } from "./event-log.ts";
import type { Machine } from "./machine.ts";
import { hasEnded } from "./projection.ts";
import type { SessionRecord } from "./store.ts";

/** Changes a session that nobody runs: what only its runtime could change applies when it is resumed. */
export async function changeRecord(
  machine: Machine,
  record: SessionRecord,
  changes: SessionChanges,
): Promise<SessionInfo> {
  const { info } = record;
  const { name, labels, ...settings } = changes;
  if (!hasEnded(info) && Object.keys(settings).length > 0) {
    throw new HalyardError(
      "invalid_input",
      `${info.id} runs and nobody holds it: resume it, then change it`,
    );
  }
  const log = new EventLog(machine, await claim(machine, record), info);
  await log.append([{ type: "system", subtype: "session_changed", data: changes }]);
  await log.release();
  return log.info;
}
