import { basename, dirname } from "node:path";
import { SessionId } from "../schema/id.ts";
import type { ProcessInfo } from "../schema/process.ts";
import type { Host, OwnedProcess } from "./host.ts";
import type { Machine } from "./machine.ts";
import { hasEnded } from "./projection.ts";

interface Found {
  readonly host: Host;
  readonly process: OwnedProcess;
  readonly info: ProcessInfo;
}

/** Every process that was started for one of this home's sessions. */
export async function listProcesses(machine: Machine): Promise<ProcessInfo[]> {
  return (await findAll(machine)).map(({ info }) => info);
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
    for (const process of (await host.processes?.()) ?? []) {
      const id = SessionId.safeParse(basename(process.runDir)).data;
      if (id === undefined || dirname(machine.directories(id).run) !== dirname(process.runDir)) {
        continue; // of another home
      }
      const session = (await machine.store.find(id))?.info;
      const info = {
        pid: process.identity.pid,
        host: host.name,
        command: process.command,
        isLeftOver: session === undefined || hasEnded(session),
        ...(session && { sessionId: id }),
      };
      found.push({ host, process, info });
    }
  }
  return found;
}
