import { chmod, mkdir, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTick } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, onTestFinished, test } from "vitest";
import type { Store } from "../../contracts/store.ts";
import type { StreamEvent } from "../../schema/event.ts";
import { SampleLog } from "../../testing/sample-log.ts";
import { sampleDelta, sampleProcess } from "../../testing/sample-session.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { toStoreError } from "./errors.ts";
import { openDatabase } from "./open.ts";
import { openSqliteStore, SqliteStore } from "./store.ts";

const everything = { after: 0, limit: 1_000_000 };

test("rejects an append that does not fit on the disk, and later appends of its session, with store_full", async () => {
  const file = join(await temporaryDirectory(), "halyard.db");
  const database = await openDatabase(file, { lockTimeoutMs: 100 });
  const pages = (count: number) => database.exec(`PRAGMA max_page_count = ${count}`);
  pages(40);
  await using store = new SqliteStore(database, { file, lockTimeoutMs: 100 });
  const log = await SampleLog.create(store);
  const other = await SampleLog.create(store);
  await log.append([sampleDelta("first")]);
  const before = log.info;

  const full = { status: "rejected", reason: { code: "store_full", retryable: true } };
  const results = await Promise.allSettled([
    other.append([sampleDelta("small")]),
    log.append([sampleDelta("x".repeat(1_000_000))]),
    log.append([sampleDelta("after")]),
    other.append([sampleDelta("also small")]),
  ]);
  expect(results).toMatchObject([{ status: "fulfilled" }, full, full, { status: "fulfilled" }]);
  await expect(log.append([sampleDelta("later")])).rejects.toThrow(file);
  expect(textsOf(await store.read(log.info.id, everything))).toEqual(["first"]);
  expect(textsOf(await store.read(other.info.id, everything))).toEqual(["small", "also small"]);
  expect((await store.find(log.info.id))?.info.lastSeq).toBe(1);

  pages(10_000);
  log.info = before;
  await log.append([sampleDelta("there is space again")]);
  expect(textsOf(await store.read(log.info.id, everything))).toHaveLength(2);
});

test("rejects an append with store_locked if the lock is not released, and still reads the session", async () => {
  const file = join(await temporaryDirectory(), "halyard.db");
  await using store = await openSqliteStore(file, { lockTimeoutMs: 50 });
  const log = await SampleLog.create(store);
  const before = log.info;
  const unlock = lock(file);
  const results = await Promise.allSettled([
    log.append([sampleDelta("a")]),
    log.append([sampleDelta("b")]),
  ]);
  const locked = { status: "rejected", reason: { code: "store_locked", retryable: true } };
  expect(results).toMatchObject([locked, locked]);
  expect(await store.find(log.info.id)).toMatchObject({ info: { lastSeq: 0 } });
  await expect(SampleLog.create(store)).rejects.toThrow(
    `Another process holds the lock of ${file}`,
  );
  unlock();
  log.info = before;
  await log.append([sampleDelta("a")]);
  expect(await store.read(log.info.id, everything)).toHaveLength(1);
});

test("delays an append until the lock is released", async () => {
  const file = join(await temporaryDirectory(), "halyard.db");
  await using store = await openSqliteStore(file);
  const log = await SampleLog.create(store);
  const unlock = lock(file);
  const appended = log.append([sampleDelta("a")]);
  for (let tick = 0; tick < 3; tick++) await nextTick();
  const joined = log.append([sampleDelta("b")]);
  expect(await store.read(log.info.id, everything)).toEqual([]);
  unlock();
  await Promise.all([appended, joined]);
  expect(textsOf(await store.read(log.info.id, everything))).toEqual(["a", "b"]);
});

test("rejects a file that is not a database, without changing it", async () => {
  const file = join(await temporaryDirectory(), "halyard.db");
  const garbage = "what is this? ".repeat(1000);
  await writeFile(file, garbage);
  const opening = openSqliteStore(file);
  await expect(opening).rejects.toMatchObject({ code: "store_corrupt" });
  await expect(opening).rejects.toThrow(`${file} is damaged (file is not a database)`);
  expect(await readFile(file, "utf8")).toBe(garbage);
});

test("loses only the events on a damaged page", async () => {
  const file = join(await temporaryDirectory(), "halyard.db");
  const { early, late, marked } = await writeMarkedLogs(file);
  await overwrite(file, `mark ${marked} `, (start) => [start - (start % 4096), 4096]);
  await using store = await openSqliteStore(file);

  const { events, error } = await readToTheEnd(store, early);
  expect(error).toMatchObject({ code: "store_corrupt" });
  expect(error).toHaveProperty("message", expect.stringContaining(file));
  expect(events.length).toBeGreaterThan(marked - 10);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(await store.read(early.info.id, { after: marked + 10, limit: 5 })).toHaveLength(5);
  expect((await readToTheEnd(store, late)).events).toHaveLength(100);
  expect(await store.list()).toHaveLength(2);
  const writer = await store.claim(late.info.id, sampleProcess(2), sampleProcess(1));
  await new SampleLog(writer, late.info).append([sampleDelta("and on it goes")]);
});

test("reads backward up to a damaged block, and rejects a read that starts at a damaged block", async () => {
  const file = join(await temporaryDirectory(), "halyard.db");
  await using store = await openSqliteStore(file);
  const log = await SampleLog.create(store);
  for (let block = 1; block <= 50; block++)
    await log.append(Array.from({ length: 10 }, (_, index) => sampleDelta(`${block}.${index} `)));
  const database = new DatabaseSync(file);
  database.exec("UPDATE blocks SET body = '[' WHERE last_seq <= 300 OR last_seq > 450");
  database.close();
  const seqs = async (before: number, limit: number) =>
    (await store.readBefore(log.info.id, { before, limit })).map(({ seq }) => seq);
  expect(await seqs(451, 3)).toEqual([448, 449, 450]);
  expect(await seqs(313, 500)).toEqual(Array.from({ length: 12 }, (_, index) => 301 + index));
  await expect(seqs(301, 1)).rejects.toMatchObject({ code: "store_corrupt" });
  await expect(seqs(1e9, 1)).rejects.toMatchObject({ code: "store_corrupt" });
});

test("does not return an event whose stored JSON is damaged", async () => {
  const file = join(await temporaryDirectory(), "halyard.db");
  const { early, marked } = await writeMarkedLogs(file);
  await overwrite(file, `mark ${marked} `, (start) => [start - 3, 3]);
  await using store = await openSqliteStore(file);
  const { events, error } = await readToTheEnd(store, early);
  expect(events).toHaveLength(marked - 1);
  expect(error).toMatchObject({ code: "store_corrupt" });
  await expect(store.readAll({ after: marked - 1, limit: 1 })).rejects.toMatchObject({
    code: "store_corrupt",
  });
});

test("rejects a read across a missing block", async () => {
  const file = join(await temporaryDirectory(), "halyard.db");
  const { early } = await writeMarkedLogs(file);
  const database = new DatabaseSync(file);
  database.exec("DELETE FROM blocks WHERE first_seq = 7");
  database.close();
  await using store = await openSqliteStore(file);
  const { events, error } = await readToTheEnd(store, early);
  expect(events).toHaveLength(6);
  expect(error).toMatchObject({ code: "store_corrupt" });
});

test("rejects with the path of the file if the directory is not writable", async () => {
  const directory = join(await temporaryDirectory(), "locked");
  await mkdir(directory);
  await (await openSqliteStore(join(directory, "old.db")))[Symbol.asyncDispose]();
  await chmod(directory, 0o555);
  onTestFinished(() => chmod(directory, 0o755));
  await chmod(join(directory, ".."), 0o755);
  becomeNobody();
  for (const name of ["new.db", "old.db", "deeper/new.db"]) {
    const file = join(directory, name);
    const opening = openSqliteStore(file);
    await expect(opening).rejects.toMatchObject({ code: "store_failed" });
    await expect(opening).rejects.toThrow(`Cannot open or write ${file}`);
  }
});

test("rejects with store_failed if the directory is a file", async () => {
  const file = join(await temporaryDirectory(), "file");
  await writeFile(file, "");
  const opening = openSqliteStore(join(file, "halyard.db"));
  await expect(opening).rejects.toMatchObject({ code: "store_failed" });
});

/** Locks the database until the returned function is called. */
function lock(file: string): () => void {
  const database = new DatabaseSync(file);
  database.exec("BEGIN EXCLUSIVE");
  return () => {
    database.exec("COMMIT");
    database.close();
  };
}

/** Writes two logs of 100 events each, one block per event, and returns the number of an event in the middle. */
async function writeMarkedLogs(file: string) {
  await using store = await openSqliteStore(file);
  const early = await SampleLog.create(store);
  const late = await SampleLog.create(store);
  for (const log of [early, late]) {
    for (let seq = 1; seq <= 100; seq++)
      await log.append([sampleDelta(`mark ${seq} ${"x".repeat(1000)}`)]);
  }
  return { early, late, marked: 50 };
}

/**
 * Overwrites a range of a closed database. `range` computes the range from the offset of the first occurrence of the
 * text.
 */
async function overwrite(
  file: string,
  text: string,
  range: (start: number) => [position: number, length: number],
): Promise<void> {
  const [position, length] = range((await readFile(file)).indexOf(text));
  await using handle = await open(file, "r+");
  await handle.write(Buffer.alloc(length, 0xfe), 0, length, position);
}

async function readToTheEnd(store: Store, { info }: SampleLog) {
  const events: StreamEvent[] = [];
  try {
    for (;;) {
      const more = await store.read(info.id, { after: events.length, limit: 1000 });
      if (more.length === 0) return { events };
      events.push(...more);
    }
  } catch (error) {
    return { events, error };
  }
}

function textsOf(events: readonly StreamEvent[]): (string | undefined)[] {
  return events.map((event) => (event.type === "delta" ? event.text : undefined));
}

/** Drops root privileges for the rest of the test, because root can write everywhere. */
function becomeNobody(): void {
  if (process.geteuid?.() !== 0) return;
  process.seteuid?.(65534);
  onTestFinished(() => process.seteuid?.(0));
}

test.each([
  Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 266 }),
  Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR" }),
  Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" }),
])("advises to check the disk, not the permissions, after an input or output error", (cause) => {
  const error = toStoreError(cause, "/home/me/halyard.db");
  expect(error).toMatchObject({ code: "store_failed", cause });
  expect(error.message).toContain("Check the disk and its connection");
});
