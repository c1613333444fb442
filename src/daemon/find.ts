import { findHolder } from "./lock.ts";
import { daemonPaths } from "./paths.ts";
import type { DaemonRecord } from "./record.ts";

/** A daemon that answers. */
export type RunningDaemon = DaemonRecord & { readonly socketPath: string };

/** The home's daemon, if it runs and answers. Starts none. */
export async function findDaemon(home: string): Promise<RunningDaemon | undefined> {
  const holder = await findHolder(daemonPaths(home).locks);
  const { socketPath } = holder ?? {};
  return holder && socketPath !== undefined ? { ...holder, socketPath } : undefined;
}
