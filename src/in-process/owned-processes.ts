import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { HalyardParts } from "../contracts/halyard-parts.ts";
import { type Host, isSameIdentity, type OwnedProcess } from "../contracts/host.ts";
import { reasonOf } from "../errors/error.ts";
import { hasEnded } from "../log/projection.ts";
import { removeAgentFiles } from "../permissions/agent-writable.ts";
import { SessionId } from "../schema/id.ts";
import type { ProcessInfo } from "../schema/session/process.ts";
import { liveStates } from "../schema/session/session-state.ts";
import type { SessionInfo } from "../schema/session.ts";
import { isHere } from "../session/recovery/claim.ts";
import { findProcess, isRunning } from "../session/recovery/recovery.ts";

interface Found {
  readonly host: Host;
  readonly process: OwnedProcess;
  readonly info: ProcessInfo;
}

/** Lists the processes that were started for sessions of this home, including processes whose host does not respond. */
export async function listProcesses(parts: HalyardParts): Promise<ProcessInfo[]> {
  const found = (await findAll(parts)).map(({ info }) => info);
  return [...found, ...(await findUnreachable(parts, found))];
}

/**
 * Lists the last recorded processes of live sessions whose container cannot list its processes. The container may be
 * paused, or the engine may not respond.
 */
async function findUnreachable(
  parts: HalyardParts,
  found: readonly ProcessInfo[],
): Promise<ProcessInfo[]> {
  const known = new Set(found.map(({ sessionId }) => sessionId));
  const records = await parts.store.list({ states: liveStates });
  const hidden = records.filter(
    ({ info }) => info.pid !== undefined && !known.has(info.id) && info.host === "container",
  );
  const infos = hidden.map(async (record): Promise<ProcessInfo[]> => {
    const { id, pid = 0, host, runtime } = record.info;
    const recorded = { pid, host, command: runtime, sessionId: id, isLeftOver: false };
    try {
      // a runtime that is not running has exited since its process was recorded
      return (await isRunning(parts, record)) ? [recorded] : [];
    } catch (error) {
      return [{ ...recorded, unreachable: reasonOf(error) }];
    }
  });
  return (await Promise.all(infos)).flat();
}

/** Deletes the files of sessions that another machine has continued or removed. */
async function removeMoved(parts: HalyardParts): Promise<void> {
  const { savedSessions, checkouts, workspaces, store } = parts;
  if (!savedSessions || !checkouts) return;
  const removeFiles = async (id: SessionId): Promise<void> => {
    const { state } = parts.directories(id);
    // Checked before the record, because a new session is recorded before its directory is created.
    const wasRecorded = existsSync(state);
    const record = await store.find(id);
    if (record ? isHere(parts, record) : !wasRecorded) return;
    await workspaces?.remove(id);
    await checkouts.remove(id);
    if (!record) await savedSessions.remove(id); // this machine may have saved a turn after the session was removed
    removeAgentFiles(state);
  };
  // A takeover restores files before it records their new machine, so no takeover may run at the same time.
  for (const id of await checkouts.list()) await parts.whileMoving(id, () => removeFiles(id));
}

/**
 * Kills the processes whose session has ended, was removed, or continues on another machine, and returns them. Also
 * deletes the files of sessions that another machine has continued or removed.
 */
export async function reapProcesses(parts: HalyardParts): Promise<ProcessInfo[]> {
  const left = (await findAll(parts)).filter(({ info }) => info.isLeftOver);
  for (const { host, process } of left) await host.end?.(process);
  await removeMoved(parts);
  return left.map(({ info }) => info);
}

async function findAll(parts: HalyardParts): Promise<Found[]> {
  const found: Found[] = [];
  for (const host of parts.hosts.values()) {
    const processes = (await host.processes?.()) ?? [];
    const ours = processes.filter(({ runDir }) => parts.owns(runDir, host.name));
    const shared = await findShared(
      parts,
      ours.filter((process) => !sessionOf(process)),
    );
    for (const process of ours) {
      const id = sessionOf(process) ?? shared.get(process.runDir);
      const session = id && (await parts.store.find(id))?.info;
      const isTheirs = session !== undefined && session.host !== host.name;
      const isKnown = found.some((other) =>
        isSameIdentity(other.process.identity, process.identity),
      );
      if (isTheirs || isKnown) continue; // several hosts on this machine list the same processes
      const info = {
        pid: process.identity.pid,
        host: host.name,
        command: process.command,
        ...(process.container !== undefined && { container: process.container }),
        isLeftOver: session === undefined || hasEnded(session) || hasMoved(parts, session),
        ...(session && { sessionId: session.id }),
      };
      found.push({ host, process, info });
    }
  }
  return found;
}

/** True if another machine has continued the session. */
function hasMoved({ self }: HalyardParts, { machine }: SessionInfo): boolean {
  return machine !== self.machine;
}

function sessionOf({ runDir }: OwnedProcess): SessionId | undefined {
  return SessionId.safeParse(basename(runDir)).data;
}

/** Returns the run directories that several sessions share, each with one live session that uses it. */
async function findShared(
  parts: HalyardParts,
  processes: readonly OwnedProcess[],
): Promise<Map<string, SessionId>> {
  const users = new Map<string, SessionId>();
  if (processes.length === 0) return users;
  for (const { info } of await parts.store.list({ states: liveStates })) {
    const process = await findProcess(parts, info);
    await process?.detach();
    const used = processes.find(
      ({ identity }) => process && isSameIdentity(identity, process.identity),
    );
    if (used) users.set(used.runDir, info.id);
  }
  return users;
}
