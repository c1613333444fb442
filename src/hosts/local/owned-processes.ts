import type { OwnedProcess } from "../../contracts/host.ts";
import { HalyardError } from "../../errors/error.ts";
import { hasProc } from "../../programs/platform.ts";
import { errno } from "../recording/errno.ts";
import { readMark } from "./marker.ts";
import { readCommand, readOwner } from "./proc.ts";
import { healthOfProcess, identify } from "./process-identity.ts";
import { listProcesses, type ProcessEntry } from "./process-table.ts";
import { ProcessTree } from "./process-tree.ts";
import { terminateTree } from "./terminate.ts";

/**
 * Finds all of this user's processes that were started for a run directory, including descendants. Rejects with
 * `unsupported` on systems without `/proc`.
 */
export async function findOwned(): Promise<OwnedProcess[]> {
  requireProc();
  const living = (await listProcesses()).filter(({ ended, pid }) => !ended && pid !== process.pid);
  const byPid = new Map(living.map((entry) => [entry.pid, entry]));
  const found: OwnedProcess[] = [];
  for (const { pid } of living) {
    const runDir = readOwner(pid) === process.getuid?.() ? runDirOf(pid, byPid) : undefined;
    const identity = runDir === undefined ? undefined : identify(pid);
    if (runDir !== undefined && identity)
      found.push({ identity, runDir, command: readCommand(pid) });
  }
  return found;
}

/**
 * Ends a process and its descendants. Sends SIGTERM. When the process has exited, or after 2 s, sends SIGKILL to the
 * remaining processes. Has no effect if the process has exited. Rejects with `unsupported` on systems without `/proc`.
 */
export async function endOwned({ identity }: OwnedProcess): Promise<void> {
  requireProc();
  if (healthOfProcess(identity) !== "alive") return;
  const tree = new ProcessTree(identity, readMark(identity.pid)?.marker ?? "");
  sendSigterm(identity.pid);
  const insist = AbortSignal.timeout(GRACE_MS);
  await terminateTree(tree, { insist, ended: new AbortController().signal });
}

/**
 * Sends SIGTERM to the process itself, because `terminateTree` signals only a process group, which the process may not
 * lead. Has no effect if the process has exited.
 */
function sendSigterm(pid: number): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch (error) {
    if (errno(error) !== "ESRCH") throw error;
  }
}

const GRACE_MS = 2_000;

/**
 * Returns the run directory of the process or its nearest marked ancestor. Ancestors are checked, because some programs
 * clear their children's environment.
 */
function runDirOf(pid: number, byPid: ReadonlyMap<number, ProcessEntry>): string | undefined {
  const seen = new Set<number>();
  for (let at = byPid.get(pid); at && !seen.has(at.pid); at = byPid.get(at.ppid)) {
    const mark = readMark(at.pid);
    if (mark) return mark.runDir;
    seen.add(at.pid);
  }
  return undefined;
}

function requireProc(): void {
  if (hasProc) return;
  throw new HalyardError(
    "unsupported",
    'Finding the processes of sessions requires Linux. Run "halyard sessions" to list sessions, and "halyard stop ID" to stop one with its processes.',
  );
}
