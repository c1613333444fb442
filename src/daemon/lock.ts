import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HalyardError } from "../core/error.ts";
import { isSameProcess } from "../hosts/local/process-identity.ts";
import { DaemonRecord, Identity } from "./record.ts";

/** The right to be a home's daemon. */
export interface Lock {
  /** Tells more of whoever holds it. */
  update(record: DaemonRecord): Promise<void>;
  release(): Promise<void>;
}

/**
 * Takes the lock, also from a daemon that died. Rejects with `already_running` where one lives.
 *
 * Whoever wants it puts a claim into the directory, then looks around: it holds the lock if it sees nobody else who
 * lives. Of two, the later one sees the earlier. Two that see each other take their claims back, and one tries again
 * before the other does.
 */
export async function takeLock(directory: string, record: DaemonRecord): Promise<Lock> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (;;) {
    const name = `${randomUUID()}.claim`;
    const claim = join(directory, name);
    await write(claim, record.identity);
    const others = (await readClaims(directory)).filter((other) => other.name !== name);
    if (!others.some(({ identity }) => identity && isAlive(identity))) {
      for (const dead of others) await rm(join(directory, dead.name), { force: true });
      await write(recordFile(directory), record);
      return createLock(directory, claim);
    }
    await rm(claim);
    const holder = await findHolder(directory);
    if (holder) throw alreadyRunning(holder);
    await sleep(Math.random() * LONGEST_PAUSE_MS);
  }
}

const LONGEST_PAUSE_MS = 50;

/** The daemon that lives, if one does. */
export async function findHolder(directory: string): Promise<DaemonRecord | undefined> {
  const record = await read(recordFile(directory), DaemonRecord);
  return record && isAlive(record.identity) ? record : undefined;
}

function createLock(directory: string, claim: string): Lock {
  return {
    update: (record) => write(recordFile(directory), record),
    async release() {
      await rm(recordFile(directory), { force: true });
      await rm(claim, { force: true });
    },
  };
}

/** For everybody to read: who holds the lock, and where it answers. */
const recordFile = (directory: string): string => join(directory, "daemon.json");

interface Claim {
  readonly name: string;
  /** Undefined where a power cut left nothing to read. */
  readonly identity: Identity | undefined;
}

/** A claim is never written again, so that nobody who looks around can miss it. */
async function readClaims(directory: string): Promise<Claim[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".claim"));
  return Promise.all(
    names.map(async (name) => ({ name, identity: await read(join(directory, name), Identity) })),
  );
}

/** All of it or nothing, whoever reads it and whenever we may die. */
async function write(file: string, value: unknown): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(value), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function read<T>(file: string, schema: { parse(value: unknown): T }): Promise<T | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined; // gone, or cut short
  }
}

/** Where that cannot be told, it is not ours to take. */
function isAlive(identity: Identity): boolean {
  return isSameProcess(identity) !== "dead";
}

function alreadyRunning({ identity, url }: DaemonRecord): HalyardError {
  const where = url === undefined ? "" : ` at ${url}`;
  return new HalyardError(
    "already_running",
    `a daemon runs for this home already (pid ${identity.pid}${where}); \`halyard daemon stop\` ends it`,
  );
}
