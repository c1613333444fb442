import { rm } from "node:fs/promises";
import type { Machine } from "../contracts/machine.ts";
import { HalyardError, reasonOf } from "../errors/error.ts";
import { removeAgentFiles } from "../permissions/agent-writable.ts";
import type { SessionId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";
import { attachmentFiles } from "../session/attachments/attachment-files.ts";
import { claim, requireRecord } from "../session/recovery/claim.ts";
import { findProcess } from "../session/recovery/recovery.ts";
import { forgetNatively } from "./forget.ts";

interface RemoveOptions {
  /** Keeps the runtime's own record of the session. Defaults to false. */
  readonly keepsNative?: boolean;
  /** Rejects with `session_owned` unless this function accepts the session. Defaults to accept it. */
  readonly isSame?: (info: SessionInfo) => boolean;
}

/** Deletes a session that has ended: its processes, the record of its runtime, its events and its directories. */
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
    if (!keepsNative) await forgetNatively(machine, record.info);
    await machine.workspaces?.remove(id);
    await machine.store.remove(id);
    await attachmentFiles(machine, id).remove();
  } catch (cause) {
    await writer.release().catch(() => {}); // report the first error
    throw cause instanceof HalyardError ? cause : notRemoved(id, cause);
  }
  await rm(run, { recursive: true, force: true });
  removeAgentFiles(state);
}

function changed(id: SessionId): HalyardError {
  const message = `Session ${id} was resumed in the meantime, and is kept.`;
  return new HalyardError("session_owned", message);
}

function notRemoved(id: SessionId, cause: unknown): HalyardError {
  const message = `${id} could not be removed: ${reasonOf(cause)}; it is still there, and can be removed again`;
  return new HalyardError("internal", message, { cause });
}
