import { isDeepStrictEqual } from "node:util";
import type { SessionId } from "../schema/id.ts";
import { HalyardError } from "./error.ts";
import type { Halyard } from "./halyard.ts";
import type { ProcessIdentity } from "./host.ts";
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

/** Rejects if a process runs the session. */
export async function requireUnowned(machine: Machine, record: SessionRecord): Promise<void> {
  const owner = await findOwner(machine, record);
  if (owner === undefined) return;
  throw new HalyardError(
    "session_owned",
    `Process ${owner.pid} runs ${record.info.id} and accepts no commands for it. Stop or detach the session there first.`,
  );
}

/** Connects to the other process that runs the session. Returns undefined if none runs it or accepts commands. */
export async function reachOwner(
  machine: Machine,
  record: SessionRecord,
): Promise<Halyard | undefined> {
  const owner = await findOwner(machine, record);
  const isElsewhere = owner !== undefined && !isDeepStrictEqual(owner, machine.self);
  return isElsewhere ? machine.owners?.reach(owner) : undefined;
}

/** The live process that runs the session. */
async function findOwner(
  machine: Machine,
  { info, owner }: SessionRecord,
): Promise<ProcessIdentity | undefined> {
  if (!owner || machine.abandoned.has(info.id)) return undefined;
  return (await machine.health(owner)) === "dead" ? undefined : owner;
}
