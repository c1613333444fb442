import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";
import type { ProcessEntry } from "./process-table.ts";

/** Lists processes with `ps` on systems without `/proc`. Start times are dates with a resolution of one second. */
export async function listFromPs(): Promise<ProcessEntry[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", ...FORMAT], {
    env: ENV,
    maxBuffer: 64 * 1024 * 1024,
  });
  return parse(stdout);
}

export function readFromPs(pid: number): ProcessEntry | undefined {
  try {
    const args = [...FORMAT, "-p", String(pid)];
    return parse(execFileSync("ps", args, { env: ENV, encoding: "utf8" }))[0];
  } catch (error) {
    const isAnswer = error instanceof Error && "status" in error && error.status === 1;
    if (isAnswer) return undefined; // ps exits with 1 if the process does not exist
    throw error;
  }
}

const FORMAT = ["-o", "pid=,ppid=,pgid=,stat=,lstart="];

/** Fixed locale and time zone, so that dates are comparable. */
const ENV = { LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin" };

function parse(text: string): ProcessEntry[] {
  return text.split("\n").flatMap((line) => {
    const [pid, ppid, pgid, stat, ...date] = line.trim().split(/\s+/);
    if (stat === undefined) return [];
    const ended = stat.startsWith("Z");
    const startTime = date.join(" ");
    const ids = { pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid) };
    return [{ ...ids, startTime, ended, handlesTermination: false }];
  });
}
