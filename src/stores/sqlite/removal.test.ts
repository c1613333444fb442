import { copyFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, test } from "vitest";
import type { Store } from "../../contracts/store.ts";
import { SampleLog } from "../../testing/sample-log.ts";
import { sampleDelta } from "../../testing/sample-session.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { openSqliteStore } from "./store.ts";

const options = { maxMs: 60_000, isIdle: false };

test("finishes a removal that a killed process started, and does not reuse the session's key", async () => {
  const file = join(await temporaryDirectory(), "halyard.db");
  const first = await openSqliteStore(file);
  const log = await SampleLog.create(first);
  for (let count = 0; count < 200; count++) await log.append([sampleDelta("x")]);
  await first[Symbol.asyncDispose]();
  const database = new DatabaseSync(file); // the state after a kill between two steps
  database.exec(`
    INSERT INTO removals SELECT key FROM sessions;
    DELETE FROM sessions;
    UPDATE positions SET taken = 200;
    DELETE FROM blocks WHERE last_seq <= 64;
  `);
  await using second = await openSqliteStore(file);
  const next = await SampleLog.create(second);
  await next.append([sampleDelta("y")]);
  expect(await second.readAll({ after: 0, limit: 1000 })).toMatchObject([
    { position: 201, event: { sessionId: next.info.id, seq: 1 } },
  ]);
  await second.reclaim?.(options);
  const rows = (table: string) => database.prepare(`SELECT count(*) AS n FROM ${table}`).get();
  expect([rows("removals"), rows("blocks"), rows("sessions")]).toEqual([
    { n: 0 },
    { n: 1 },
    { n: 1 },
  ]);
  database.close();
});

test("frees the space of removed sessions in steps, while other sessions are written", async () => {
  const file = join(await temporaryDirectory(), "halyard.db");
  await using store = await openSqliteStore(file);
  const live = await SampleLog.create(store);
  await removeMegabytes(store, 20);
  const before = (await stat(file)).size;
  let appended = 0;
  let isDone = false;
  const reclaiming = reclaimAll(store).finally(() => {
    isDone = true;
  });
  for (; !isDone; appended++) await live.append([sampleDelta("live")]);
  expect(await reclaiming).toBeGreaterThan(18_000_000);
  expect((await stat(file)).size).toBeLessThan(before - 15_000_000);
  expect(appended).toBeGreaterThan(3);
  expect(await store.read(live.info.id, { after: 0, limit: 1_000_000 })).toHaveLength(appended);
  expect(await store.reclaim?.(options)).toEqual({ freedBytes: 0, hasMore: false });
});

test("frees the space of an older version's database only if no session is live", async () => {
  const file = join(await temporaryDirectory(), "halyard.db");
  const first = await openSqliteStore(file);
  const log = await SampleLog.create(first);
  await log.append([sampleDelta("kept")]);
  await removeMegabytes(first, 5);
  await first[Symbol.asyncDispose]();
  const database = new DatabaseSync(file);
  database.exec("PRAGMA auto_vacuum = NONE; VACUUM");
  database.close();
  await copyFile(file, `${file}.copy`);
  await using store = await openSqliteStore(file);
  await removeMegabytes(store, 5);
  expect(await store.reclaim?.(options)).toEqual({ freedBytes: 0, hasMore: false });
  const idle = await store.reclaim?.({ ...options, isIdle: true });
  expect(idle?.freedBytes).toBeGreaterThan(4_000_000);
  await removeMegabytes(store, 5);
  expect((await store.reclaim?.(options))?.freedBytes).toBeGreaterThan(4_000_000);
  expect(await store.read(log.info.id, { after: 0, limit: 10 })).toMatchObject([{ text: "kept" }]);
});

async function reclaimAll(store: Store): Promise<number> {
  let freed = 0;
  for (let hasMore = true; hasMore; ) {
    const result = await store.reclaim?.({ maxMs: 20, isIdle: false });
    freed += result?.freedBytes ?? 0;
    hasMore = result?.hasMore ?? false;
  }
  return freed;
}

async function removeMegabytes(store: Store, count: number): Promise<void> {
  const log = await SampleLog.create(store);
  for (let megabyte = 0; megabyte < count; megabyte++)
    await log.append([sampleDelta("x".repeat(1_000_000))]);
  await store.remove(log.info.id);
}
