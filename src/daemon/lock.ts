import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { claimDirectory, isAlive } from "../claims/claim.ts";
import { readJson, writeJson } from "../claims/json-file.ts";
import { HalyardError } from "../core/error.ts";
import { DaemonRecord } from "./record.ts";

/** The right to be a home's daemon. */
export interface Lock {
  /** Tells more of whoever holds it. */
  update(record: DaemonRecord): Promise<void>;
  release(): Promise<void>;
}

/** Takes the lock, also from a daemon that died. Rejects with `already_running` if one lives. */
export async function takeLock(directory: string, record: DaemonRecord): Promise<Lock> {
  for (;;) {
    const giveUp = await claimDirectory(directory, record.identity);
    if (giveUp !== undefined) {
      await writeJson(recordFile(directory), record);
      return createLock(directory, giveUp);
    }
    const holder = await findHolder(directory);
    if (holder) throw alreadyRunning(holder);
    await sleep(Math.random() * LONGEST_PAUSE_MS);
  }
}

const LONGEST_PAUSE_MS = 50;

/** The daemon that lives, if one does. */
export async function findHolder(directory: string): Promise<DaemonRecord | undefined> {
  const record = await readJson(recordFile(directory), DaemonRecord);
  return record && isAlive(record.identity) ? record : undefined;
}

function createLock(directory: string, giveUp: () => Promise<void>): Lock {
  return {
    update: (record) => writeJson(recordFile(directory), record),
    async release() {
      await rm(recordFile(directory), { force: true });
      await giveUp();
    },
  };
}

/** For everybody to read: who holds the lock, and where it answers. */
const recordFile = (directory: string): string => join(directory, "daemon.json");

function alreadyRunning({ identity, url }: DaemonRecord): HalyardError {
  const where = url === undefined ? "" : ` at ${url}`;
  return new HalyardError(
    "already_running",
    `a daemon runs for this home already (pid ${identity.pid}${where}); \`halyard daemon stop\` ends it`,
  );
}
