import { basename } from "node:path";
import { SessionId } from "../schema/id.ts";
import type { ProcessInfo } from "../schema/process.ts";
import { liveStates } from "../schema/session-state.ts";
import { reasonOf } from "./error.ts";
import { type Host, isSameIdentity, type OwnedProcess } from "./host.ts";
import type { Machine } from "./machine.ts";
import { hasEnded } from "./projection.ts";
import { findProcess, isRunning } from "./recovery.ts";

interface Found {
  readonly host: Host;
  readonly process: OwnedProcess;
  readonly info: ProcessInfo;
}

/** Every process that was started for one of this home's sessions. */
export async function listProcesses(machine: Machine): Promise<ProcessInfo[]> {
  const found = (await findAll(machine)).map(({ info }) => info);
  return [...found, ...(await findUnreachable(machine, found))];
}

/** The live sessions of a host that does not answer. Nothing is known of their processes but what is on record. */
async function findUnreachable(
  machine: Machine,
  found: readonly ProcessInfo[],
): Promise<ProcessInfo[]> {
  const known = new Set(found.map(({ sessionId }) => sessionId));
  const records = await machine.store.list({ states: liveStates });
  const hidden = records.filter(
    ({ info }) => info.pid !== undefined && !known.has(info.id) && info.host === "container",
  );
  const infos = hidden.map(async (record): Promise<ProcessInfo[]> => {
    const { id, pid = 0, host, runtime } = record.info;
    try {
      await isRunning(machine, record);
      return []; // it ended meanwhile
    } catch (error) {
      const unreachable = reasonOf(error);
      return [{ pid, host, command: runtime, sessionId: id, isLeftOver: false, unreachable }];
    }
  });
  return (await Promise.all(infos)).flat();
}

/** Ends those whose session is over or forgotten. */
export async function reapProcesses(machine: Machine): Promise<ProcessInfo[]> {
  const left = (await findAll(machine)).filter(({ info }) => info.isLeftOver);
  for (const { host, process } of left) await host.end?.(process);
  return left.map(({ info }) => info);
}

async function findAll(machine: Machine): Promise<Found[]> {
  const found: Found[] = [];
  for (const host of machine.hosts.values()) {
    const processes = (await host.processes?.()) ?? [];
    const ours = processes.filter(({ runDir }) => machine.owns(runDir, host.name));
    const shared = await findShared(
      machine,
      ours.filter((process) => !sessionOf(process)),
    );
    for (const process of ours) {
      const id = sessionOf(process) ?? shared.get(process.runDir);
      const session = id && (await machine.store.find(id))?.info;
      const isTheirs = session !== undefined && session.host !== host.name;
      const isKnown = found.some((other) =>
        isSameIdentity(other.process.identity, process.identity),
      );
      if (isTheirs || isKnown) continue; // hosts of one machine see each other's
      const info = {
        pid: process.identity.pid,
        host: host.name,
        command: process.command,
        ...(process.container !== undefined && { container: process.container }),
        isLeftOver: session === undefined || hasEnded(session),
        ...(session && { sessionId: session.id }),
      };
      found.push({ host, process, info });
    }
  }
  return found;
}

function sessionOf({ runDir }: OwnedProcess): SessionId | undefined {
  return SessionId.safeParse(basename(runDir)).data;
}

/** Run directories that are no session's own, each with one of the live sessions that run on it. */
async function findShared(
  machine: Machine,
  processes: readonly OwnedProcess[],
): Promise<Map<string, SessionId>> {
  const users = new Map<string, SessionId>();
  if (processes.length === 0) return users;
  for (const { info } of await machine.store.list({ states: liveStates })) {
    const process = await findProcess(machine, info);
    await process?.detach();
    const used = processes.find(
      ({ identity }) => process && isSameIdentity(identity, process.identity),
    );
    if (used) users.set(used.runDir, info.id);
  }
  return users;
}
