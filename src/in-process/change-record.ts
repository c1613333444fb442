import type { HalyardParts } from "../contracts/halyard-parts.ts";
import type { ResumeOptions } from "../contracts/resume-options.ts";
import type { SessionRecord } from "../contracts/store.ts";
import { HalyardError } from "../errors/error.ts";
import { changesIn } from "../halyard/resume-request.ts";
import { EventLog } from "../log/event-log.ts";
import { hasEnded } from "../log/projection.ts";
import type { SessionId } from "../schema/id.ts";
import type { SessionChanges } from "../schema/session/session-changes.ts";
import type { SessionInfo } from "../schema/session.ts";
import { claim, requireRecord } from "../session/recovery/claim.ts";
import { settingsIn } from "../session/settings-in.ts";

/** Returns the record of a session to resume. Applies the settings in `options` first if the session has ended. */
export async function changedRecord(
  parts: HalyardParts,
  id: SessionId,
  options: ResumeOptions,
): Promise<SessionRecord> {
  const record = await requireRecord(parts, id);
  const changes = changesIn(record.info, options);
  if (changes === undefined || !hasEnded(record.info)) return record;
  await changeRecord(parts, record, changes);
  return requireRecord(parts, id);
}

/**
 * Changes the record of a session that no process runs. Settings of the runtime take effect when the session is resumed.
 * Rejects with `invalid_input` if such a setting is changed and the session has not ended.
 */
export async function changeRecord(
  parts: HalyardParts,
  record: SessionRecord,
  changes: SessionChanges,
): Promise<SessionInfo> {
  const { info } = record;
  const settings = settingsIn(info, changes);
  if (!hasEnded(info) && Object.keys(settings).length > 0) {
    throw new HalyardError(
      "invalid_input",
      `Session ${info.id} is live, but no process owns it, so its settings cannot be changed. Run "halyard resume ${info.id}" first.`,
    );
  }
  const log = new EventLog(parts, await claim(parts, record), info);
  await log.append([{ type: "system", subtype: "session_changed", data: changes }]);
  await log.release();
  return log.info;
}
