import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createDeferred } from "../../../async/deferred.ts";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import { startOnDatabase } from "./first-start.ts";

/** Creates a data directory. `start` starts a fake server on it and adds the server's name to `started`. */
async function newDatabase() {
  const root = await temporaryDirectory();
  const dataDir = join(root, "opencode");
  await mkdir(dataDir);
  const started: string[] = [];
  const start = (name: string, ready: Promise<unknown>, program = "opencode 1") =>
    startOnDatabase({ dataDir, program, lock: join(root, "lock") }, async () => {
      started.push(name);
      return { ready };
    });
  return { dataDir, started, start };
}

test("starts a second server on a new database only after the first server has responded", async () => {
  const { started, start } = await newDatabase();
  const first = createDeferred<void>();
  await start("first", first.promise);
  const second = start("second", Promise.resolve());
  setTimeout(() => {
    started.push("first responds");
    first.resolve();
  }, 50);
  await second;
  expect(started).toEqual(["first", "first responds", "second"]);

  await start("third", new Promise(() => {}));
  await start("fourth", new Promise(() => {}));
  expect(started.slice(3)).toEqual(["third", "fourth"]);
});

test("serializes the starts again after a failed first start and after an update of the program", async () => {
  const { started, start } = await newDatabase();
  const failure = Promise.reject(new Error("no tables"));
  failure.catch(() => {}); // the users of a server receive its error
  await start("failed", failure);
  await start("first", Promise.resolve());
  const updated = createDeferred<void>();
  await start("updated", updated.promise, "opencode 2");
  const next = start("next", Promise.resolve(), "opencode 2");
  setTimeout(() => {
    started.push("updated responds");
    updated.resolve();
  }, 50);
  await next;
  expect(started).toEqual(["failed", "first", "updated", "updated responds", "next"]);
});

test("rejects if the server cannot be started, or if the claim cannot be created", async () => {
  const { dataDir, start } = await newDatabase();
  const options = { dataDir, program: "opencode 1", lock: join(dataDir, "..", "lock") };
  const failing = startOnDatabase(options, () => Promise.reject(new Error("no program")));
  await expect(failing).rejects.toThrow("no program");
  const file = join(dataDir, "file");
  await writeFile(file, "");
  const nowhere = startOnDatabase({ ...options, lock: file }, async () => ({
    ready: Promise.resolve(),
  }));
  await expect(nowhere).rejects.toMatchObject({ code: "EEXIST" });
  await start("after that", Promise.resolve());
});
