import { rm } from "node:fs/promises";
import type { Session } from "../contracts/halyard.ts";
import type { HalyardParts } from "../contracts/halyard-parts.ts";
import { HalyardError, reasonOf } from "../errors/error.ts";
import { sentence } from "../errors/sentence.ts";
import { removeAgentFiles } from "../permissions/agent-writable.ts";
import type { SessionId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";
import { attachmentFiles } from "../session/attachments/attachment-files.ts";
import { claim, isHere, reachOwner, requireRecord } from "../session/recovery/claim.ts";
import { findProcess } from "../session/recovery/recovery.ts";
import { forgetNatively } from "./forget.ts";

interface RemoveOptions {
  /** True to keep the runtime's own record of the session. Defaults to false. */
  readonly keepsNative?: boolean;
  /** If this function returns false, the removal rejects with `session_owned`. Defaults to accepting every session. */
  readonly isSame?: (info: SessionInfo) => boolean;
}

/**
 * Deletes a session that has no owner: kills its runtime if it is still running, and deletes its events, checkpoints,
 * attachments and directories. Also deletes the runtime's own record on this machine, unless `keepsNative` is set.
 * Rejects with `session_owned` if a process owns the session.
 */
export async function removeRecord(
  parts: HalyardParts,
  id: SessionId,
  { keepsNative = false, isSame = () => true }: RemoveOptions = {},
): Promise<void> {
  const record = await requireRecord(parts, id);
  const writer = await claim(parts, record);
  const { run, state } = parts.directories(id, record.info);
  try {
    if (!isSame((await requireRecord(parts, id)).info)) throw changed(id);
    const left = await findProcess(parts, record.info);
    await left?.[Symbol.asyncDispose]();
    // A runtime's record on another machine cannot be deleted from this machine.
    if (!keepsNative && isHere(parts, record)) await forgetNatively(parts, record.info);
    await parts.workspaces?.remove(id);
    if (record.info.checkout) await parts.checkouts?.remove(id);
    await parts.savedSessions?.remove(id);
    await parts.store.remove(id);
    await attachmentFiles(parts, id).remove();
  } catch (cause) {
    await writer.release().catch(() => {}); // the caller receives the error of the removal instead
    throw cause instanceof HalyardError ? cause : notRemoved(id, cause);
  }
  await rm(run, { recursive: true, force: true });
  removeAgentFiles(state);
}

function changed(id: SessionId): HalyardError {
  const message = `Session ${id} was resumed in the meantime, so it was not removed. Run "halyard rm ${id}" to stop and remove it.`;
  return new HalyardError("session_owned", message);
}

function notRemoved(id: SessionId, cause: unknown): HalyardError {
  const message = `Cannot remove session ${id}: ${sentence(reasonOf(cause))} Run "halyard rm ${id}" to try again.`;
  return new HalyardError("internal", message, { cause });
}

/**
 * Stops a session in the process that runs it, then deletes the session. `held` is the session if this process runs it.
 */
export async function stopAndRemove(
  parts: HalyardParts,
  id: SessionId,
  held: Pick<Session, "stop"> | undefined,
): Promise<void> {
  if (held) await held.stop("removed");
  else {
    const owner = await reachOwner(parts, await requireRecord(parts, id));
    await owner?.stop(id, "removed");
  }
  await removeRecord(parts, id);
}
