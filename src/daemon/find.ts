import { findHolder } from "./lock.ts";
import { daemonPaths } from "./paths.ts";
import type { DaemonRecord } from "./record.ts";

/** A daemon that is running and listens on its socket. */
export type RunningDaemon = DaemonRecord & { readonly socketPath: string };

/** Returns the home's daemon, or undefined if it is not running or does not listen yet. Does not start a daemon. */
export async function findDaemon(home: string): Promise<RunningDaemon | undefined> {
  const holder = await findHolder(daemonPaths(home).locks);
  const { socketPath } = holder ?? {};
  return holder && socketPath !== undefined ? { ...holder, socketPath } : undefined;
}
