import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { EmptyDatabases } from "./empty-databases.ts";

async function bench() {
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
    kept: new EmptyDatabases(runtimes ?? "", "1"),
  };
}

const HISTORY = `
  CREATE TABLE _sqlx_migrations (version);
  INSERT INTO _sqlx_migrations VALUES (1);
  CREATE TABLE turns (thread_id, words);
  INSERT INTO turns VALUES ('t', 'a secret');
`;

test("what came with the first turn is kept without what belongs to a thread", async () => {
  const { home, next, write, kept } = await bench();
  write("state.sqlite", "CREATE TABLE threads (id)");
  await kept.takeFrom(home);
  write("history.sqlite", HISTORY);
  await kept.takeLater(home);
  expect(await kept.copyTo(next)).toBe(true);
  using history = new DatabaseSync(join(next, "history.sqlite"));
  expect(history.prepare("SELECT version FROM _sqlx_migrations").all()).toEqual([{ version: 1 }]);
  expect(history.prepare("SELECT * FROM turns").all()).toEqual([]);
});

test("what may hold something of somebody's is not kept", async () => {
  const { home, next, write, kept } = await bench();
  write("state.sqlite", "CREATE TABLE threads (id)");
  await kept.takeFrom(home);
  write(
    "search.sqlite",
    `${HISTORY} CREATE TABLE found (words); INSERT INTO found VALUES ('mine');`,
  );
  await kept.takeLater(home);
  await kept.copyTo(next);
  expect(await readdir(next)).toEqual(["state.sqlite"]);
});

test("a home with databases of its own keeps them", async () => {
  const { home, write, kept } = await bench();
  write("state.sqlite", "CREATE TABLE threads (id)");
  await kept.takeFrom(home);
  write("state.sqlite", "INSERT INTO threads VALUES ('t')");
  expect(await kept.copyTo(home)).toBe(true);
  using state = new DatabaseSync(join(home, "state.sqlite"));
  expect(state.prepare("SELECT id FROM threads").all()).toEqual([{ id: "t" }]);
});
