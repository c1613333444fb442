import { rm } from "node:fs/promises";
import type { Machine } from "../contracts/machine.ts";
import { HalyardError, reasonOf } from "../errors/error.ts";
import { removeAgentFiles } from "../permissions/agent-writable.ts";
import type { SessionId } from "../schema/id.ts";
import { attachmentFiles } from "../session/attachments/attachment-files.ts";
import { claim, requireRecord } from "../session/recovery/claim.ts";
import { findProcess } from "../session/recovery/recovery.ts";
import { forgetNatively } from "./forget.ts";

/** Deletes a session that has ended: its processes, the record of its runtime, its events and its directories. */
export async function removeRecord(machine: Machine, id: SessionId): Promise<void> {
  const record = await requireRecord(machine, id);
  const writer = await claim(machine, record);
  const { run, state } = machine.directories(id, record.info);
  try {
    const left = await findProcess(machine, record.info);
    await left?.[Symbol.asyncDispose]();
    await forgetNatively(machine, record.info);
    await machine.store.remove(id);
    await attachmentFiles(machine, id).remove();
  } catch (cause) {
    await writer.release().catch(() => {}); // report the first error
    throw cause instanceof HalyardError ? cause : notRemoved(id, cause);
  }
  await machine.workspaces?.remove(id);
  await rm(run, { recursive: true, force: true });
  removeAgentFiles(state);
}

function notRemoved(id: SessionId, cause: unknown): HalyardError {
  const message = `${id} could not be removed: ${reasonOf(cause)}; it is still there, and can be removed again`;
  return new HalyardError("internal", message, { cause });
}
