import type { SessionId } from "../schema/id.ts";
import { HalyardError } from "./error.ts";
import type { Machine } from "./machine.ts";
import type { SessionRecord, Writer } from "./store.ts";

/** The session's record; the error says where to look if there is none. */
export async function requireRecord({ store }: Machine, id: SessionId): Promise<SessionRecord> {
  const record = await store.find(id);
  if (record) return record;
  throw new HalyardError(
    "session_not_found",
    `there is no session ${id}; \`halyard sessions\` lists them`,
  );
}

/** Makes this process the writer of a session that no other one runs. */
export async function claim(machine: Machine, record: SessionRecord): Promise<Writer> {
  await requireUnowned(machine, record);
  const { info, owner } = record;
  const writer = await machine.store.claim(info.id, machine.self, owner);
  machine.abandoned.delete(info.id);
  return writer;
}

/** Rejects where a process runs the session. */
export async function requireUnowned(machine: Machine, record: SessionRecord): Promise<void> {
  const { info, owner } = record;
  if (!owner || machine.abandoned.has(info.id)) return;
  if ((await machine.health(owner)) === "dead") return;
  throw new HalyardError(
    "session_owned",
    `process ${owner.pid} runs ${info.id}; stop or detach it there first`,
  );
}
