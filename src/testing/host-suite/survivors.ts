import { readdirSync, readFileSync } from "node:fs";

export const TEST_MARK = "HALYARD_TEST_MARK";

/**
 * The processes that were started with this mark, found by the suite's own means so that a host cannot
 * deceive itself. Only Linux shows the environment of other processes: elsewhere nothing is found, and the
 * suite proves less.
 */
export function survivors(mark: string): number[] {
  if (process.platform !== "linux") return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => isMarked(pid, mark));
}

/** A process that has ended, and only waits for its parent to hear of it, has no environment any more. */
function isMarked(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${TEST_MARK}=${mark}`);
  } catch {
    return false;
  }
}
