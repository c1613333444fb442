import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { claimDirectory, isAlive } from "../claims/claim.ts";
import { readClaimFile, writeJson } from "../claims/json-file.ts";
import { HalyardError } from "../errors/error.ts";
import { DaemonRecord } from "./record.ts";

/** The exclusive right of one process, a daemon or a worker, to serve a home. */
export interface Lock {
  /** Replaces the published record of the holder. */
  update(record: DaemonRecord): Promise<void>;
  release(): Promise<void>;
}

/**
 * Acquires the lock, even if a dead process still holds it. Rejects with `already_running` if a living process holds it.
 */
export async function acquireLock(directory: string, record: DaemonRecord): Promise<Lock> {
  for (;;) {
    const releaseClaim = await claimDirectory(directory, record.identity);
    if (releaseClaim !== undefined) {
      await writeJson(recordFile(directory), record);
      return createLock(directory, releaseClaim);
    }
    const holder = await findHolder(directory);
    if (holder) throw alreadyRunning(holder);
    await sleep(Math.random() * LONGEST_PAUSE_MS);
  }
}

const LONGEST_PAUSE_MS = 50;

/** Returns the record of the process that holds the lock, or undefined if no living process holds it. */
export async function findHolder(directory: string): Promise<DaemonRecord | undefined> {
  const record = await readClaimFile(recordFile(directory), DaemonRecord);
  return record && isAlive(record.identity) ? record : undefined;
}

function createLock(directory: string, releaseClaim: () => Promise<void>): Lock {
  return {
    update: (record) => writeJson(recordFile(directory), record),
    async release() {
      await rm(recordFile(directory), { force: true });
      await releaseClaim();
    },
  };
}

/** The file in which the holder publishes its identity and addresses. */
const recordFile = (directory: string): string => join(directory, "daemon.json");

function alreadyRunning({ identity, url }: DaemonRecord): HalyardError {
  const where = url === undefined ? "" : ` at ${url}`;
  return new HalyardError(
    "already_running",
    `A daemon is already running for this home (pid ${identity.pid}${where}). Run "halyard daemon stop" to stop it.`,
  );
}
