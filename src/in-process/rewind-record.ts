import type { HalyardParts } from "../contracts/halyard-parts.ts";
import type { SessionRecord } from "../contracts/store.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { EventLog } from "../log/event-log.ts";
import { createRedactor } from "../log/redaction/redaction.ts";
import type { Rewound } from "../schema/workspace/checkpoint.ts";
import { rewindFiles } from "../session/checkpoints.ts";
import { busyError } from "../session/message-error.ts";
import { claim } from "../session/recovery/claim.ts";

/**
 * Restores the files of a session that no process runs. Rejects with `workspace_failed` if the session has a running or
 * suspended turn, and with `session_owned` if a process has claimed the session.
 */
export async function rewindRecord(
  parts: HalyardParts,
  record: SessionRecord,
  { workspace, commit }: { readonly workspace: Workspace; readonly commit: string },
): Promise<Rewound> {
  const { info } = record;
  if (info.turn !== undefined) throw busyError(info.id);
  const log = new EventLog(parts, await claim(parts, record), info);
  try {
    return await rewindFiles(workspace, commit, { log, redactor: createRedactor(parts.secrets) });
  } finally {
    await log.release();
  }
}
