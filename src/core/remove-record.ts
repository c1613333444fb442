import { rm } from "node:fs/promises";
import type { SessionId } from "../schema/id.ts";
import { removeAgentFiles } from "./agent-writable.ts";
import { claim, requireRecord } from "./claim.ts";
import { HalyardError, reasonOf } from "./error.ts";
import { forgetNatively } from "./forget.ts";
import type { Machine } from "./machine.ts";
import { findProcess } from "./recovery.ts";

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
  } catch (cause) {
    await writer.release().catch(() => {}); // the other reason came first
    throw cause instanceof HalyardError ? cause : notRemoved(id, cause);
  }
  await rm(run, { recursive: true, force: true });
  removeAgentFiles(state);
}

function notRemoved(id: SessionId, cause: unknown): HalyardError {
  const message = `${id} could not be removed: ${reasonOf(cause)}; it is still there, and can be removed again`;
  return new HalyardError("internal", message, { cause });
}
