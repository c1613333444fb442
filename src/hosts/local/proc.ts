import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { constants as osConstants } from "node:os";
import { setImmediate } from "node:timers/promises";
import { errno } from "../recording/errno.ts";
import type { ProcessEntry } from "./process-table.ts";

/**
 * Lists all processes. Reads `/proc` synchronously, which is faster than in the thread pool, and yields to the event
 * loop after every 64 processes.
 */
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

/** Reads the first line with few system calls, because termination reads it for every process on the machine. */
function readLine(path: string): string {
  const fd = openSync(path, "r");
  try {
    return line.toString("latin1", 0, readSync(fd, line));
  } finally {
    closeSync(fd);
  }
}

/** A buffer that is larger than any of the kernel's stat lines. All calls reuse it. */
const line = Buffer.alloc(4096);

export function readBootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
}

/**
 * Returns a process's initial environment. Returns an empty object if the process has exited or belongs to another
 * user.
 */
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

/** Returns a variable from a process's initial environment. Returns undefined if the variable is unset or unreadable. */
export function readVariable(pid: number, name: string): string | undefined {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`);
    const found = Buffer.concat([NUL, variables, NUL]);
    const at = found.indexOf(`\0${name}=`);
    if (at < 0) return undefined;
    const start = at + name.length + 2;
    return found.toString("utf8", start, found.indexOf(NUL, start));
  } catch {
    return undefined; // the process has exited or belongs to another user
  }
}

const NUL = Buffer.alloc(1);

/** Returns a process's user id. Returns undefined if the process has exited. */
export function readOwner(pid: number): number | undefined {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
}

/**
 * Returns a process's arguments, joined by spaces. Returns an empty string for a kernel thread or an exited process.
 */
export function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

/** Parses the fields after the last parenthesis, because a program's name can contain spaces and parentheses. */
function parseStat(stat: string): ProcessEntry {
  const pid = Number.parseInt(stat, 10);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "", ppid, pgid] = fields;
  const startTime = fields[19];
  if (startTime === undefined) throw new Error(`/proc/${pid}/stat has an unexpected format`);
  const ended = state === "Z" || state === "X";
  const handlesTermination = (Number(fields[31]) & SIGTERM_BIT) !== 0;
  return { pid, ppid: Number(ppid), pgid: Number(pgid), startTime, ended, handlesTermination };
}

/** SIGTERM's bit in the kernel's bitmap of caught signals. */
const SIGTERM_BIT = 1 << (osConstants.signals.SIGTERM - 1);

function isGone(error: unknown): boolean {
  return errno(error) === "ENOENT" || errno(error) === "ESRCH";
}
