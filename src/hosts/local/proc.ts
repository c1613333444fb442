import { readdirSync, readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { errno } from "./errno.ts";
import type { ProcessEntry } from "./process-table.ts";

/** Reading `/proc` is reading memory, faster here than in another thread; others get their turn in between. */
export async function listFromProc(): Promise<ProcessEntry[]> {
  const entries: ProcessEntry[] = [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  for (const [index, pid] of pids.entries()) {
    const entry = readFromProc(Number(pid));
    if (entry) entries.push(entry);
    if (index % 64 === 63) await setImmediate();
  }
  return entries;
}

export function readFromProc(pid: number): ProcessEntry | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

export function readBootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
}

/** Whether the process was started with this variable, by us or by whom we started. */
export function hasVariable(pid: number, name: string, value: string): boolean {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`);
    return Buffer.concat([NUL, variables, NUL]).includes(`\0${name}=${value}\0`);
  } catch {
    return false; // gone, or somebody else's
  }
}

const NUL = Buffer.alloc(1);

/** A program's name may hold spaces and parentheses: the fields are counted from behind the last one. */
function parseStat(stat: string): ProcessEntry {
  const pid = Number.parseInt(stat, 10);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "", ppid, pgid] = fields;
  const startTime = fields[19];
  if (startTime === undefined) throw new Error(`/proc/${pid}/stat is not as expected`);
  const ended = state === "Z" || state === "X";
  return { pid, ppid: Number(ppid), pgid: Number(pgid), startTime, ended };
}

function isGone(error: unknown): boolean {
  return errno(error) === "ENOENT" || errno(error) === "ESRCH";
}
