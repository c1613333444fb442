import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Store, StoredEvent } from "../../../contracts/store.ts";
import { SampleLog } from "../../../testing/sample-log.ts";
import { sampleDelta } from "../../../testing/sample-session.ts";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import { scanEvents } from "../../search/scan.ts";
import { openSqliteStore } from "../store.ts";

const sqlite = async (): Promise<{ file: string; index: string }> => {
  const directory = await temporaryDirectory();
  return { file: join(directory, "halyard.db"), index: join(directory, "halyard-search.db") };
};

/** A program that indexes the log until it is killed and prints the number of remaining events. */
const endlessIndexer = `
  import { writeSync } from "node:fs";
  const [dist, file] = process.argv.slice(1);
  const { StoreSearch } = await import(dist + "/stores/sqlite/search/store-search.js");
  const { openDatabase } = await import(dist + "/stores/sqlite/open.js");
  const search = new StoreSearch(await openDatabase(file, {}), { file, lockTimeoutMs: 5000 });
  for (let left = 1; left > 0; ) {
    left = await search.advance();
    writeSync(1, left + "\\n");
  }
`;

test("indexes every event once if a process was killed while it filled the index", async () => {
  const { file } = await sqlite();
  await using store = await openSqliteStore(file);
  await fill(store, 4000);
  for (const steps of [1, 3, 2]) {
    const dist = new URL("../../../../dist", import.meta.url).href;
    const args = ["--input-type=module", "--eval", endlessIndexer, dist, file];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const exited = once(child, "exit");
    let seen = 0;
    for await (const line of createInterface(child.stdout)) {
      seen++;
      expect(Number(line)).toBeGreaterThan(0); // makes sure that the index is not complete before the kill
      if (seen === steps) child.kill("SIGKILL");
    }
    await exited;
  }
  expect(await searchAll(store, "common")).toEqual(
    await scanEvents(store, "common", { limit: 1000 }),
  );
  expect(await searchAll(store, "number 17")).toEqual(await scanEvents(store, "number 17"));
});

test("returns the same hits after the index was deleted, damaged or written by another version", async () => {
  const { file, index } = await sqlite();
  const first = await openSqliteStore(file);
  await fill(first, 300);
  const hits = await searchAll(first, "common");
  expect(hits.hits).toHaveLength(300);
  await first[Symbol.asyncDispose]();
  const harms = [
    () => rm(index),
    () => writeFile(index, "not a database, but long enough to look at".repeat(200)),
    async () => {
      const database = new DatabaseSync(index);
      database.exec("DELETE FROM words; PRAGMA user_version = 99");
      database.close();
    },
  ];
  for (const harm of harms) {
    await harm();
    await using store = await openSqliteStore(file);
    expect(await searchAll(store, "common")).toEqual(hits);
  }
});

test("rebuilds the index if the log was replaced by an older copy that then received different events", async () => {
  const { file } = await sqlite();
  const first = await openSqliteStore(file);
  await fill(first, 50);
  await first[Symbol.asyncDispose]();
  await copyFile(file, `${file}.copy`);
  const second = await openSqliteStore(file);
  await (await SampleLog.create(second)).append([say("only here"), say("common only here")]);
  expect((await searchAll(second, "common")).hits).toHaveLength(51);
  await second[Symbol.asyncDispose]();
  await copyFile(`${file}.copy`, file);
  await using third = await openSqliteStore(file);
  await (await SampleLog.create(third)).append(["common x", "y", "z"].map(say));
  expect((await searchAll(third, "only")).hits).toEqual([]);
  expect(await searchAll(third, "common")).toEqual(
    await scanEvents(third, "common", { limit: 1000 }),
  );
});

test("removes a session's rows if the session was removed while the index was not open", async () => {
  const { file, index } = await sqlite();
  const first = await openSqliteStore(file);
  const log = await SampleLog.create(first);
  await log.append([say("secret word")]);
  await fill(first, 5);
  await searchAll(first, "word");
  await first[Symbol.asyncDispose]();
  const database = new DatabaseSync(file); // the state after a process was killed just after it removed the session
  database.exec("UPDATE positions SET taken = 100; DELETE FROM blocks WHERE session = 1");
  database.exec("DELETE FROM sessions WHERE key = 1");
  database.close();
  expect(rows(index, "secret")).toBe(1);
  await using second = await openSqliteStore(file);
  expect((await searchAll(second, "secret")).hits).toEqual([]);
  expect([rows(index, "secret"), rows(index, "common")]).toEqual([0, 5]);
});

test("removes a session's rows together with the session", async () => {
  const { file, index } = await sqlite();
  await using store = await openSqliteStore(file);
  const log = await SampleLog.create(store);
  await log.append([say("secret word")]);
  await searchAll(store, "word");
  await using other = await openSqliteStore(file); // this store has not opened the index
  await other.remove(log.info.id);
  expect(rows(index, "secret")).toBe(0);
});

test("creates no index if the store is never searched", async () => {
  const { file } = await sqlite();
  await using store = await openSqliteStore(file);
  const log = await SampleLog.create(store);
  await log.append([say("word")]);
  await store.remove(log.info.id);
  expect((await readdir(join(file, ".."))).filter((name) => name.includes("search"))).toEqual([]);
});

test("fills the index in the background, and makes it readable only by the user", async () => {
  const { file, index } = await sqlite();
  await using store = await openSqliteStore(file, { indexes: true });
  await fill(store, 200);
  await vi.waitFor(() => expect(rows(index, "common")).toBe(200), { timeout: 20_000 });
  expect((await stat(index)).mode & 0o777).toBe(0o600);
});

test("indexes the blocks after a damaged block", async () => {
  const { file } = await sqlite();
  await using store = await openSqliteStore(file);
  const log = await SampleLog.create(store);
  for (const text of ["first word", "second word", "third word"]) await log.append([say(text)]);
  const database = new DatabaseSync(file);
  database.exec(`UPDATE blocks SET body = '[{"type":"message",' WHERE position = 2`);
  database.close();
  const { hits, pending } = await searchAll(store, "word");
  expect(pending).toBe(0);
  expect(hits.map(({ snippet }) => snippet)).toEqual(["third word", "first word"]);
});

test("returns only hits from the selected sessions if hundreds are selected", async () => {
  const { file } = await sqlite();
  await using store = await openSqliteStore(file);
  const logs = [];
  for (let count = 0; count < 250; count++) {
    const log = await SampleLog.create(store, { runtime: count === 7 ? "codex" : "pi" });
    await log.append([say(`word ${count}`)]);
    logs.push(log.info.id);
  }
  const sessions = logs.slice(1);
  const { hits } = await store.search("word", { limit: 1000, sessions });
  expect(hits.map(({ sessionId }) => sessionId)).toEqual(sessions.toReversed());
  expect(await store.search("word", { runtime: "codex" })).toMatchObject({
    hits: [{ snippet: "word 7" }],
  });
});

test("finds a day's events in a log that is not in chronological order", async () => {
  const { file } = await sqlite();
  await using store = await openSqliteStore(file);
  // the event order after an archive was imported
  const days = ["2026-03-02", "2026-03-04", "2026-03-01", "2026-03-03"];
  for (const day of days) {
    const log = await SampleLog.create(store);
    await log.append([say(`word of ${day}`)], { at: `${day}T12:00:00.000Z` });
  }
  const found = async (since?: string, until?: string) => {
    const range = { ...(since && { since }), ...(until && { until }) };
    const { hits } = await store.search("word", range);
    return hits.map(({ snippet }) => snippet.replace("word of ", ""));
  };
  const at = (day: string) => `${day}T00:00:00.000Z`;
  expect(await found(at("2026-03-02"), at("2026-03-03"))).toEqual(["2026-03-02"]);
  expect(await found(at("2026-03-03"))).toEqual(["2026-03-03", "2026-03-04"]);
  expect(await found(undefined, at("2026-03-03"))).toEqual(["2026-03-01", "2026-03-02"]);
  expect(await found(at("2026-04-01"))).toEqual([]);
});

/** Writes events in blocks of ten. Every second event is a message. */
async function fill(store: Store, messages: number): Promise<void> {
  const log = await SampleLog.create(store, { name: "filled" });
  for (let first = 0; first < messages; first += 5) {
    const numbers = Array.from({ length: Math.min(5, messages - first) }, (_, n) => first + n);
    await log.append(
      numbers.flatMap((number) => [sampleDelta("common"), say(`common number ${number}`)]),
    );
  }
}

async function searchAll(store: Store, query: string): ReturnType<Store["search"]> {
  for (;;) {
    const result = await store.search(query, { limit: 1000 });
    if (result.pending === 0) return result;
  }
}

function rows(index: string, word: string): number {
  const database = new DatabaseSync(index, { readOnly: true });
  const statement = database.prepare("SELECT count(*) AS count FROM words WHERE words MATCH ?");
  const { count }: { count: number } = statement.get(word);
  database.close();
  return count;
}

function say(text: string): StoredEvent {
  return { type: "message", role: "assistant", channel: "text", messageId: "m1", text };
}
