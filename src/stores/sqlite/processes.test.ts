import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { Wake } from "../../async/wake.ts";
import { newSessionId } from "../../errors/require-id.ts";
import type { SessionId } from "../../schema/id.ts";
import { SampleLog } from "../../testing/sample-log.ts";
import { sampleDelta } from "../../testing/sample-session.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { openSqliteStore } from "./store.ts";

/** A program that appends blocks forever and prints the last `seq` of each block when its append resolves. */
const endlessWriter = `
  import { writeSync } from "node:fs";
  const [dist, file, id] = process.argv.slice(1);
  const { openSqliteStore } = await import(dist + "/stores/sqlite/store.js");
  const { SampleLog } = await import(dist + "/testing/sample-log.js");
  const { sampleDelta, sampleProcess } = await import(dist + "/testing/sample-session.js");
  const store = await openSqliteStore(file);
  const record = await store.find(id);
  const log = record === undefined
    ? await SampleLog.create(store, { id })
    : new SampleLog(await store.claim(id, sampleProcess(1), record.owner), record.info);
  for (let round = 0; ; round++) {
    const appends = [1, 5 + (round % 50), 2].map((count) => {
      const appended = log.append(Array.from({ length: count }, () => sampleDelta("x".repeat(round % 700))));
      const { lastSeq } = log.info;
      return appended.then(() => writeSync(1, lastSeq + "\\n"));
    });
    await Promise.all(appends);
  }
`;

/** A program that writes one session with one event. */
const singleWriter = `
  const [dist, file, id] = process.argv.slice(1);
  const { openSqliteStore } = await import(dist + "/stores/sqlite/store.js");
  const { SampleLog } = await import(dist + "/testing/sample-log.js");
  const { sampleDelta } = await import(dist + "/testing/sample-session.js");
  const store = await openSqliteStore(file);
  const log = await SampleLog.create(store, { id });
  await log.append([sampleDelta("a")]);
  await store[Symbol.asyncDispose]();
`;

/** A program that waits for the next write to the store. Nothing else keeps its process alive. */
const listener = `
  const [dist, file] = process.argv.slice(1);
  const { openSqliteStore } = await import(dist + "/stores/sqlite/store.js");
  const store = await openSqliteStore(file);
  const woken = new Promise((resolve) => store.watch(resolve));
  console.log("waiting");
  await woken;
  await store[Symbol.asyncDispose]();
`;

test("keeps every resolved append after a SIGKILL", { timeout: 60_000 }, async () => {
  const file = join(await temporaryDirectory(), "halyard.db");
  const id = newSessionId();
  let durable = 0;
  for (const blocks of [1, 40, 300]) {
    const writer = start(endlessWriter, file, id);
    durable = await killAfter(blocks, writer);
    await using store = await openSqliteStore(file);
    const events = await store.read(id, { after: 0, limit: 1_000_000 });
    expect(events.length).toBeGreaterThanOrEqual(durable);
    expect(events.every(({ seq }, index) => seq === index + 1)).toBe(true);
    expect((await store.find(id))?.info.lastSeq).toBe(events.length);
  }
  expect(durable).toBeGreaterThan(340);
  const database = new DatabaseSync(file);
  expect(database.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  database.close();
});

test("lets several processes create the same store at the same time", async () => {
  const file = join(await temporaryDirectory(), "new", "halyard.db");
  const ids = Array.from({ length: 4 }, newSessionId);
  const exits = ids.map(async (id) => {
    const [code] = await once(start(singleWriter, file, id), "exit");
    return code;
  });
  expect(await Promise.all(exits)).toEqual([0, 0, 0, 0]);
  await using store = await openSqliteStore(file);
  expect((await store.list()).map(({ info }) => info.id).sort()).toEqual(ids.sort());
  const positions = (await store.readAll({ after: 0, limit: 10 })).map(({ position }) => position);
  expect(positions).toEqual([1, 2, 3, 4]);
});

test("wakes a watcher when another process writes", async () => {
  const file = join(await temporaryDirectory(), "halyard.db");
  await using store = await openSqliteStore(file);
  const log = await SampleLog.create(store);
  await log.append([sampleDelta("ours")]);
  const id = newSessionId();
  const wake = new Wake();
  const stop = store.watch(() => wake.notify());
  start(singleWriter, file, id);
  for (;;) {
    const { version } = wake;
    if ((await store.readAll({ after: 1, limit: 1 })).length > 0) break;
    await wake.after(version);
  }
  stop();
  expect(await store.read(id, { after: 0, limit: 10 })).toHaveLength(1);
});

test("keeps a process that only watches the store alive until the next write", async () => {
  const file = join(await temporaryDirectory(), "halyard.db");
  await using store = await openSqliteStore(file);
  const child = start(listener, file, newSessionId());
  const exited = once(child, "exit");
  await once(child.stdout ?? child, "data");
  await SampleLog.create(store);
  expect(await exited).toEqual([0, null]);
});

function start(program: string, file: string, id: SessionId): ChildProcess {
  const dist = new URL("../../../dist", import.meta.url).href;
  const args = ["--input-type=module", "--eval", program, dist, file, id];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Kills the writer while it appends, and returns the last `seq` whose append resolved. */
async function killAfter(blocks: number, writer: ChildProcess): Promise<number> {
  if (writer.stdout === null) throw new Error("the writer has no output");
  const ended = once(writer, "close");
  let seen = 0;
  let durable = 0;
  for await (const line of createInterface(writer.stdout)) {
    durable = Number(line);
    seen++;
    if (seen === blocks) writer.kill("SIGKILL");
  }
  await ended;
  expect(writer.signalCode).toBe("SIGKILL");
  return durable;
}
