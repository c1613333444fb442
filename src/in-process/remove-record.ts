import { rm } from "node:fs/promises";
import type { Session } from "../contracts/halyard.ts";
import type { Machine } from "../contracts/machine.ts";
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
 * Deletes a session that no process runs: kills its remaining process, and deletes its events, its directories and,
 * unless `keepsNative` is set, the runtime's own record on this machine.
 */
export async function removeRecord(
  machine: Machine,
  id: SessionId,
  { keepsNative = false, isSame = () => true }: RemoveOptions = {},
): Promise<void> {
  const record = await requireRecord(machine, id);
  const writer = await claim(machine, record);
  const { run, state } = machine.directories(id, record.info);
  try {
    if (!isSame((await requireRecord(machine, id)).info)) throw changed(id);
    const left = await findProcess(machine, record.info);
    await left?.[Symbol.asyncDispose]();
    // A runtime's record on another machine cannot be deleted from this machine.
    if (!keepsNative && isHere(machine, record)) await forgetNatively(machine, record.info);
    await machine.workspaces?.remove(id);
    if (record.info.checkout) await machine.checkouts?.remove(id);
    await machine.savedSessions?.remove(id);
    await machine.store.remove(id);
    await attachmentFiles(machine, id).remove();
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
  machine: Machine,
  id: SessionId,
  held: Pick<Session, "stop"> | undefined,
): Promise<void> {
  if (held) await held.stop("removed");
  else {
    const owner = await reachOwner(machine, await requireRecord(machine, id));
    await owner?.stop(id, "removed");
  }
  await removeRecord(machine, id);
}
