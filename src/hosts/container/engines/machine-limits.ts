import { readFileSync } from "node:fs";
import type { MachineLimits } from "./start-advice.ts";

/** Reads the limits from `/proc`. Uses a small default for a limit that is missing. */
export function readMachineLimits(): MachineLimits {
  const openFiles = Number(/^Max open files\s+\d+\s+(\d+)/m.exec(read("/proc/self/limits"))?.[1]);
  const pids = Number(read("/proc/sys/kernel/pid_max"));
  return { openFiles: openFiles || 1024, pids: pids || 4096 };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
