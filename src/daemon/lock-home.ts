import { ownIdentity } from "../hosts/local/process-identity.ts";
import { acquireLock, type Lock } from "./lock.ts";
import { daemonPaths } from "./paths.ts";

/** Makes this process the only one that serves a home. Rejects if another process already serves it. */
export function lockHome(home: string, version: string): Promise<Lock> {
  const startedAt = new Date().toISOString();
  const record = { identity: ownIdentity(), version, startedAt, kind: "foreground" } as const;
  return acquireLock(daemonPaths(home).locks, record);
}
