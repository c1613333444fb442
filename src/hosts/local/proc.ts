import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { errno } from "../recording/errno.ts";
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
    return parseStat(readLine(`/proc/${pid}/stat`));
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** With as few calls to the system as can be: whoever ends a program reads this of every process there is. */
function readLine(path: string): string {
  const fd = openSync(path, "r");
  try {
    return line.toString("latin1", 0, readSync(fd, line));
  } finally {
    closeSync(fd);
  }
}

/** More than the kernel says of a process in one line; nothing is left in it from one call to the next. */
const line = Buffer.alloc(4096);

export function readBootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
}

/** All that the process was started with; empty where it is gone, or somebody else's. */
export function readEnvironment(pid: number): Record<string, string> {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    return Object.fromEntries(
      variables.flatMap((text) => {
        const at = text.indexOf("=");
        return at > 0 ? [[text.slice(0, at), text.slice(at + 1)]] : [];
      }),
    );
  } catch {
    return {};
  }
}

/** What the process was started with under that name, by us or by whom we started. */
export function readVariable(pid: number, name: string): string | undefined {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`);
    const found = Buffer.concat([NUL, variables, NUL]);
    const at = found.indexOf(`\0${name}=`);
    if (at < 0) return undefined;
    const start = at + name.length + 2;
    return found.toString("utf8", start, found.indexOf(NUL, start));
  } catch {
    return undefined; // gone, or somebody else's
  }
}

const NUL = Buffer.alloc(1);

/** Undefined where it is gone. */
export function readOwner(pid: number): number | undefined {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
}

/** Its words with spaces between them; empty for a process without any, as the kernel's own. */
export function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

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
