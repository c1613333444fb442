import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeStore } from "../../testing/describe-store.ts";
import { SampleLog } from "../../testing/sample-log.ts";
import { sampleDelta } from "../../testing/sample-session.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { openSqliteStore } from "./store.ts";

describeStore("the store in SQLite", async () => {
  const directory = await mkdtemp(join(tmpdir(), "halyard-store-"));
  const file = join(directory, "halyard.db");
  const store = await openSqliteStore(file);
  return {
    store,
    open: () => openSqliteStore(file),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
});

test("stores the longest line that a runtime may write", async () => {
  await using store = await openSqliteStore(join(await temporaryDirectory(), "halyard.db"));
  const log = await SampleLog.create(store);
  const text = "x".repeat(64 * 1024 * 1024);
  await log.append([sampleDelta("before"), sampleDelta(text), sampleDelta("after")]);
  const [event] = await store.read(log.info.id, { after: 1, limit: 1 });
  expect(event?.type === "delta" && event.text === text).toBe(true);
  expect(await store.read(log.info.id, { after: 2, limit: 10 })).toMatchObject([{ text: "after" }]);
});
