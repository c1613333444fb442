import type { SessionId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { SessionChanges } from "../schema/session-changes.ts";
import { claim, requireRecord } from "./claim.ts";
import { HalyardError } from "./error.ts";
import { EventLog } from "./event-log.ts";
import type { ResumeOptions } from "./halyard.ts";
import type { Machine } from "./machine.ts";
import { hasEnded } from "./projection.ts";
import { changesIn } from "./resume-request.ts";
import { settingsIn } from "./settings-in.ts";
import type { SessionRecord } from "./store.ts";

/** The record of a session that is about to be resumed, with what that changes where it has ended. */
export async function changedRecord(
  machine: Machine,
  id: SessionId,
  options: ResumeOptions,
): Promise<SessionRecord> {
  const record = await requireRecord(machine, id);
  const changes = changesIn(record.info, options);
  if (changes === undefined || !hasEnded(record.info)) return record;
  await changeRecord(machine, record, changes);
  return requireRecord(machine, id);
}

/** Changes a session that nobody runs: what only its runtime could change applies when it is resumed. */
export async function changeRecord(
  machine: Machine,
  record: SessionRecord,
  changes: SessionChanges,
): Promise<SessionInfo> {
  const { info } = record;
  const settings = settingsIn(info, changes);
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
