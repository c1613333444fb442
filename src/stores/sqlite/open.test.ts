import { chmod, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, test } from "vitest";
import { SampleLog } from "../../testing/sample-log.ts";
import { sampleDelta, sampleProcess } from "../../testing/sample-session.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { openSqliteStore } from "./store.ts";

test("creates files that only the user can access", async () => {
  const directory = join(await temporaryDirectory(), "home", "halyard");
  const file = join(directory, "halyard.db");
  await using store = await openSqliteStore(file);
  await SampleLog.create(store);
  expect(await modeOf(directory)).toBe(0o700);
  expect(await readdir(directory)).toHaveLength(3);
  for (const name of await readdir(directory))
    expect(await modeOf(join(directory, name))).toBe(0o600);
});

test("does not change an existing directory's mode", async () => {
  const directory = join(await temporaryDirectory(), "mine");
  await mkdir(directory);
  await chmod(directory, 0o750);
  await using _store = await openSqliteStore(join(directory, "halyard.db"));
  expect(await modeOf(directory)).toBe(0o750);
});

test("keeps its data when it is closed and opened again", async () => {
  const file = join(await temporaryDirectory(), "halyard.db");
  const first = await openSqliteStore(file);
  const log = await SampleLog.create(first);
  await log.append([sampleDelta("a")], { cursor: 5 });
  const record = await first.find(log.info.id);
  await first[Symbol.asyncDispose]();
  expect((await stat(`${file}-wal`)).size).toBe(0);

  await using second = await openSqliteStore(file);
  expect(await second.find(log.info.id)).toEqual(record);
  expect(await second.read(log.info.id, { after: 0, limit: 10 })).toHaveLength(1);
});

test("migrates a database from the first version and continues its sessions", async () => {
  const file = join(await temporaryDirectory(), "halyard.db");
  const first = await openSqliteStore(file);
  const log = await SampleLog.create(first, { state: "idle" });
  await log.append([sampleDelta("a")], { cursor: 5 });
  await first[Symbol.asyncDispose]();
  const database = new DatabaseSync(file);
  database.exec("ALTER TABLE blocks DROP COLUMN cursor; DROP TABLE removals");
  database.exec("PRAGMA user_version = 1");
  database.close();

  await using second = await openSqliteStore(file);
  const { id } = log.info;
  const record = { info: log.info, owner: sampleProcess(1), cursor: 5, turnCursor: 0 };
  expect(await second.find(id)).toEqual(record);
  const heir = await second.claim(id, sampleProcess(2), sampleProcess(1));
  const next = new SampleLog(heir, { ...log.info, state: "running" });
  for (const text of ["b", "c"]) await next.append([sampleDelta(text)]);
  expect(await second.find(id)).toMatchObject({ info: next.info, cursor: 30 });
  expect(await second.read(id, { after: 0, limit: 10 })).toMatchObject([
    { text: "a" },
    { text: "b" },
    { text: "c" },
  ]);
});

test("rejects a database of a newer Halyard version without changing it", async () => {
  const file = join(await temporaryDirectory(), "halyard.db");
  await (await openSqliteStore(file))[Symbol.asyncDispose]();
  const database = new DatabaseSync(file);
  database.exec("PRAGMA user_version = 1000");
  const opening = openSqliteStore(file);
  await expect(opening).rejects.toMatchObject({ code: "store_failed" });
  await expect(opening).rejects.toThrow(`${file} was written by a newer version of Halyard`);
  expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: 1000 });
  database.close();
});

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}
