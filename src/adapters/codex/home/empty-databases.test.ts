import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import { EmptyDatabases } from "./empty-databases.ts";

async function setUp() {
  const [home, next, runtimes] = await Promise.all([1, 2, 3].map(() => temporaryDirectory()));
  const write = (name: string, sql: string) => {
    const database = new DatabaseSync(join(home ?? "", name));
    database.exec(sql);
    database.close();
  };
  return {
    home: home ?? "",
    next: next ?? "",
    write,
    cache: new EmptyDatabases(runtimes ?? "", "1"),
  };
}

const HISTORY = `
  CREATE TABLE _sqlx_migrations (version);
  INSERT INTO _sqlx_migrations VALUES (1);
  CREATE TABLE turns (thread_id, words);
  INSERT INTO turns VALUES ('t', 'a secret');
`;

test("caches the databases that the first turn creates, without the turn's rows", async () => {
  const { home, next, write, cache } = await setUp();
  write("state.sqlite", "CREATE TABLE threads (id)");
  await cache.saveFrom(home);
  write("history.sqlite", HISTORY);
  await cache.saveNewFrom(home);
  expect(await cache.copyTo(next)).toBe(true);
  using history = new DatabaseSync(join(next, "history.sqlite"));
  expect(history.prepare("SELECT version FROM _sqlx_migrations").all()).toEqual([{ version: 1 }]);
  expect(history.prepare("SELECT * FROM turns").all()).toEqual([]);
});

test("does not cache a database that may contain user data", async () => {
  const { home, next, write, cache } = await setUp();
  write("state.sqlite", "CREATE TABLE threads (id)");
  await cache.saveFrom(home);
  write(
    "search.sqlite",
    `${HISTORY} CREATE TABLE found (words); INSERT INTO found VALUES ('mine');`,
  );
  await cache.saveNewFrom(home);
  await cache.copyTo(next);
  expect(await readdir(next)).toEqual(["state.sqlite"]);
});

test("does not replace existing databases", async () => {
  const { home, write, cache } = await setUp();
  write("state.sqlite", "CREATE TABLE threads (id)");
  await cache.saveFrom(home);
  write("state.sqlite", "INSERT INTO threads VALUES ('t')");
  expect(await cache.copyTo(home)).toBe(true);
  using state = new DatabaseSync(join(home, "state.sqlite"));
  expect(state.prepare("SELECT id FROM threads").all()).toEqual([{ id: "t" }]);
});
