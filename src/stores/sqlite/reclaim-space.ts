import { setTimeout as delay } from "node:timers/promises";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Reclaimed, ReclaimOptions } from "../../contracts/store.ts";
import { retryWhileLocked } from "./retry-while-locked.ts";

interface SpaceOptions extends ReclaimOptions {
  readonly lockTimeoutMs: number;
}

/**
 * Returns unused pages of a database to the system, in steps of a few milliseconds. A database that an older version of
 * Halyard created can only be rewritten as a whole, which happens only while no session is live.
 */
export async function reclaimSpace(
  database: DatabaseSyncInstance,
  { maxMs, isIdle, lockTimeoutMs }: SpaceOptions,
): Promise<Reclaimed> {
  const read = (pragma: string): number => {
    const row: Record<string, number> = database.prepare(`PRAGMA ${pragma}`).get();
    return row[pragma] ?? 0;
  };
  const write = (statement: string) =>
    retryWhileLocked(() => database.exec(statement), lockTimeoutMs);
  const isIncremental = read("auto_vacuum") === INCREMENTAL;
  const pages = read("page_count");
  const deadline = performance.now() + maxMs;
  if (!isIncremental && isIdle && read("freelist_count") > 0)
    await write("PRAGMA auto_vacuum = INCREMENTAL; VACUUM;");
  while (isIncremental && read("freelist_count") > 0 && performance.now() < deadline) {
    const startedAt = performance.now();
    await write(`PRAGMA incremental_vacuum(${PAGES_AT_ONCE})`);
    // wait as long as the step took, so that other writers get half of the time
    await delay(performance.now() - startedAt);
  }
  // The file shrinks when the write-ahead log is copied into it. A reader may delay this.
  const freed = pages - read("page_count");
  if (freed > 0) await write("PRAGMA wal_checkpoint(TRUNCATE)");
  return {
    freedBytes: Math.max(0, freed) * read("page_size"),
    hasMore: isIncremental && read("freelist_count") > 0,
  };
}

/** The value of `PRAGMA auto_vacuum` for a database that can free pages in steps. */
const INCREMENTAL = 2;
/** The number of pages per step: 1 MiB with the default page size. */
const PAGES_AT_ONCE = 256;
