import { readFileSync } from "node:fs";

/** How long a process has been ready to run and had to wait for a processor, in milliseconds; 0 where nobody can tell. */
export function readWaitedMs(pid: number): number {
  try {
    const [, nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, "latin1").split(" ");
    return Number(nanoseconds) / 1e6 || 0;
  } catch {
    return 0; // gone, or no Linux
  }
}
