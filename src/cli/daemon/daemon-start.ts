import { openConsole } from "../console/console.ts";
import { openOwnDaemon } from "../open-daemon.ts";
import { type DaemonStatusOptions, daemonStatus } from "./daemon-status.ts";

/** Starts the daemon if none is running, and prints its status. */
export async function daemonStart(options: DaemonStatusOptions): Promise<number> {
  await using _ = await openOwnDaemon(openConsole());
  return daemonStatus(options);
}
