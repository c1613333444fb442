import { readdirSync, readFileSync } from "node:fs";

/** The environment variable that identifies the test that started a process. */
export const TEST_MARK = "HALYARD_TEST_MARK";

/**
 * Returns the pids of the processes that have this mark in their environment. The suite searches for them independently
 * of the host. Only Linux exposes a process's environment; on other systems, the result is empty.
 */
export function survivors(mark: string): number[] {
  if (process.platform !== "linux") return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => isMarked(pid, mark));
}

/** True if a process has the mark. A zombie has no environment and is ignored. */
function isMarked(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${TEST_MARK}=${mark}`);
  } catch {
    return false;
  }
}
