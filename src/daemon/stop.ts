import { setTimeout as sleep } from "node:timers/promises";
import { HalyardError } from "../errors/error.ts";
import { healthOfProcess } from "../hosts/local/process-identity.ts";
import type { DaemonRecord } from "./record.ts";

/**
 * Sends SIGTERM to a daemon and waits until it exits. Rejects with `timed_out` after 15 s. Sessions whose runtime does
 * not run in the daemon's process continue.
 */
export async function stopDaemon({ identity }: DaemonRecord): Promise<void> {
  const { pid } = identity;
  if (healthOfProcess(identity) === "alive") process.kill(pid, "SIGTERM");
  const deadline = performance.now() + LONGEST_MS;
  while (healthOfProcess(identity) === "alive") {
    if (performance.now() > deadline)
      throw new HalyardError(
        "timed_out",
        `The daemon (pid ${pid}) did not exit within ${LONGEST_MS / 1000} s. Run "kill -9 ${pid}" to kill it.`,
      );
    await sleep(STEP_MS);
  }
}

/** How long to wait for the daemon to exit, in milliseconds. Longer than the daemon's own shutdown limit. */
const LONGEST_MS = 15_000;
const STEP_MS = 10;
