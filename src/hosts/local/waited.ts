import { readFileSync } from "node:fs";

/** Returns how long a process was runnable and waited for a processor, in milliseconds. Returns 0 if unknown. */
export function readWaitedMs(pid: number): number {
  try {
    const [, nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, "latin1").split(" ");
    return Number(nanoseconds) / 1e6 || 0;
  } catch {
    return 0; // the process has exited, or the system is not Linux
  }
}
