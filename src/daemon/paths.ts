import { join } from "node:path";

/** The daemon's files in Halyard's home. */
export interface DaemonPaths {
  /** The directory of the lock and the daemon's record. See `lock.ts`. */
  readonly locks: string;
  readonly log: string;
  /** The file with the token that network clients must send. */
  readonly token: string;
  /** The file with the port of the page. */
  readonly page: string;
  /** The file with the port on which other machines read shared sessions. */
  readonly sharePort: string;
  /** The file with the browsers that are signed in to the page. */
  readonly browsers: string;
}

/** Returns the paths of the daemon's files in a home. */
export function daemonPaths(home: string): DaemonPaths {
  return {
    locks: join(home, "daemon"),
    log: join(home, "daemon.log"),
    token: join(home, "token"),
    page: join(home, "page.json"),
    sharePort: join(home, "share-port.json"),
    browsers: join(home, "browsers.json"),
  };
}
