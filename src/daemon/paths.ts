import { join } from "node:path";

/** What a daemon keeps in Halyard's home. */
export interface DaemonPaths {
  /** Who the daemon is; see `lock.ts`. */
  readonly locks: string;
  readonly log: string;
  /** What has to be shown on the network. */
  readonly token: string;
}

export function daemonPaths(home: string): DaemonPaths {
  return {
    locks: join(home, "daemon"),
    log: join(home, "daemon.log"),
    token: join(home, "token"),
  };
}
