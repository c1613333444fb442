import type { Environment } from "../../config/paths.ts";
import { findDaemon, type RunningDaemon } from "../../daemon/find.ts";
import { HalyardError } from "../../errors/error.ts";
import { daemonHome } from "./daemon-home.ts";

/** Returns the running daemon of this machine. Throws `unreachable` if no daemon is running. */
export async function requireDaemon(env: Environment): Promise<RunningDaemon> {
  const daemon = await findDaemon(daemonHome(env));
  if (daemon) return daemon;
  throw new HalyardError("unreachable", "The daemon has stopped. Run the command again.");
}
