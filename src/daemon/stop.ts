import { setTimeout as sleep } from "node:timers/promises";
import { HalyardError } from "../core/error.ts";
import { isSameProcess } from "../hosts/local/process-identity.ts";
import type { DaemonRecord } from "./record.ts";

/** Asks a daemon to end and waits until it has. Its sessions go on where they can. */
export async function stopDaemon({ identity }: DaemonRecord): Promise<void> {
  const { pid } = identity;
  if (isSameProcess(identity) === "alive") process.kill(pid, "SIGTERM");
  const deadline = performance.now() + LONGEST_MS;
  while (isSameProcess(identity) === "alive") {
    if (performance.now() > deadline)
      throw new HalyardError("timed_out", `the daemon (pid ${pid}) does not end: kill -9 ${pid}`);
    await sleep(STEP_MS);
  }
}

/** More than a daemon gives itself. */
const LONGEST_MS = 15_000;
const STEP_MS = 10;
