import { HalyardError } from "../errors/error.ts";
import { ownIdentity } from "../hosts/local/process-identity.ts";
import { acquireLock, findHolder, type Lock } from "./lock.ts";
import { daemonPaths } from "./paths.ts";

/** Makes this process the only worker that serves a home. Rejects if another worker already serves it. */
export async function lockHome(home: string, version: string): Promise<Lock> {
  const startedAt = new Date().toISOString();
  const record = { identity: ownIdentity(), version, startedAt, kind: "foreground" } as const;
  const { locks } = daemonPaths(home);
  try {
    return await acquireLock(locks, record);
  } catch (cause) {
    if (!(cause instanceof HalyardError && cause.code === "already_running")) throw cause;
    const pid = (await findHolder(locks))?.identity.pid;
    if (pid === undefined) throw cause;
    throw new HalyardError(
      "already_running",
      `Another worker of this cluster is already running on this machine (pid ${pid}). Run "kill ${pid}" to stop it.`,
      { cause },
    );
  }
}
