import { isDeepStrictEqual } from "node:util";
import type { Halyard } from "../../contracts/halyard.ts";
import type { HalyardParts } from "../../contracts/halyard-parts.ts";
import { isSameIdentity, type ProcessIdentity } from "../../contracts/host.ts";
import type { SessionRecord, Writer } from "../../contracts/store.ts";
import { HalyardError } from "../../errors/error.ts";
import { isTransient } from "../../log/appends.ts";
import type { SessionId } from "../../schema/id.ts";

/** Returns the record of a session. Rejects with `session_not_found` if there is none. */
export async function requireRecord(
  { store }: HalyardParts,
  id: SessionId,
): Promise<SessionRecord> {
  const record = await store.find(id);
  if (record) return record;
  throw new HalyardError(
    "session_not_found",
    `Session ${id} not found. Run "halyard sessions" to list sessions.`,
  );
}

/**
 * Makes this process the writer of a session. Rejects with `session_owned` if a living process owns the session, or if
 * the record is no longer current.
 */
export async function claim(parts: HalyardParts, record: SessionRecord): Promise<Writer> {
  const running = await findOwner(parts, record);
  const { info } = record;
  if (running) throw await ownedError(parts, info.id, running);
  try {
    const writer = await claimUnchanged(parts, record);
    parts.abandoned.delete(info.id);
    return writer;
  } catch (error) {
    // The store may have recorded the claim although its response was lost.
    if (isTransient(error)) parts.abandoned.add(info.id);
    throw error;
  }
}

/**
 * Claims a session if its record is still current. Rejects with `session_owned` if another process has claimed the
 * session or appended events since the record was read, even if it has released the session again.
 */
export async function claimUnchanged(
  { store, self }: HalyardParts,
  { info, owner }: SessionRecord,
): Promise<Writer> {
  const writer = await store.claim(info.id, self, owner);
  const now = await store.find(info.id);
  if (now?.info.lastSeq === info.lastSeq) return writer;
  await writer.release();
  throw new HalyardError("session_owned", `Another process has just used ${info.id}. Try again.`);
}

/** Rejects with `session_owned` if a process runs the session. */
export async function requireUnowned(parts: HalyardParts, record: SessionRecord): Promise<void> {
  const owner = await findOwner(parts, record);
  if (owner) throw await ownedError(parts, record.info.id, owner);
}

/**
 * Returns the error for a session that another process runs. The message depends on whether that process accepts
 * commands.
 */
async function ownedError(
  parts: HalyardParts,
  id: SessionId,
  owner: ProcessIdentity,
): Promise<HalyardError> {
  const isReachable = (await reach(parts, owner)) !== undefined;
  const message = isReachable
    ? `Process ${owner.pid} runs ${id}. Run "halyard attach ${id}" to watch it and send messages, or "halyard stop ${id}" to stop it first.`
    : `Process ${owner.pid} runs ${id} and does not accept commands for it. Stop or detach the session in that process first, or end the process. Run "halyard events ${id} --follow" to watch it.`;
  return new HalyardError("session_owned", message);
}

/**
 * Connects to the other process that runs the session. Returns undefined if there is no such process, or if it does not
 * accept commands.
 */
export async function reachOwner(
  parts: HalyardParts,
  record: SessionRecord,
): Promise<Halyard | undefined> {
  const owner = await findOwner(parts, record);
  return owner && reach(parts, owner);
}

async function reach(
  { owners, self }: HalyardParts,
  owner: ProcessIdentity,
): Promise<Halyard | undefined> {
  return isDeepStrictEqual(owner, self) ? undefined : owners?.reach(owner);
}

/**
 * Returns the recorded owner of a session, unless the owner is dead, the owner's machine is unreachable, or this
 * process has already released the session.
 */
async function findOwner(
  parts: HalyardParts,
  { info, owner }: SessionRecord,
): Promise<ProcessIdentity | undefined> {
  if (!owner) return undefined;
  if (parts.abandoned.has(info.id) && isSameIdentity(owner, parts.self)) return undefined;
  const health = await parts.health(owner);
  return health === "dead" || health === "unreachable" ? undefined : owner;
}

/**
 * True if this machine holds the files of a session. Always true outside a cluster. A machine that takes over a session
 * claims it first and restores the files afterward.
 */
export function isHere({ self }: HalyardParts, { info }: SessionRecord): boolean {
  return info.machine === self.machine;
}
