import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Store } from "../contracts/store.ts";
import { createHalyard } from "../create-halyard.ts";
import { ownIdentity } from "../hosts/local/process-identity.ts";
import type { SessionId } from "../schema/id.ts";
import { openSqliteStore } from "../stores/sqlite/store.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { SampleLog } from "../testing/sample-log.ts";
import { sampleDelta } from "../testing/sample-session.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

test("loses no data of live sessions while it removes many old sessions, and shrinks the file", async () => {
  const home = await temporaryDirectory();
  const file = join(home, "halyard.db");
  await using store = await openSqliteStore(file);
  await addEnded(store, 400, 20_000);
  const before = (await stat(file)).size;
  await using halyard = await createHalyard({ home, env: {}, adapters: [fakeAdapter()] });
  const live = await Promise.all(
    Array.from({ length: 5 }, () => halyard.start({ runtime: "fake", cwd: home })),
  );
  const outcomes = live.map((session) => session.send("flood 4000 slow").outcome);
  let removed = 0;
  let freedBytes = 0;
  for (let hasMore = true; hasMore; ) {
    const result = await halyard.prune({ olderThan: "30d" });
    removed += result.removed.length;
    freedBytes += result.freedBytes;
    expect(result.problems).toEqual([]);
    hasMore = result.hasMore;
  }
  for (const outcome of outcomes) expect(await outcome).toMatchObject({ status: "completed" });
  expect(removed).toBe(400);
  expect((await store.list()).map(({ info }) => info.id).sort()).toEqual(
    live.map(({ id }) => id).sort(),
  );
  for (const { id } of live) {
    const events = await store.read(id, { after: 0, limit: 100_000 });
    expect(events.every(({ seq }, index) => seq === index + 1)).toBe(true);
    const numbers = events.flatMap((event) => (event.type === "delta" ? [event.text] : []));
    expect(numbers).toEqual(Array.from({ length: 4000 }, (_, number) => `${number} `));
  }
  expect(freedBytes).toBeGreaterThan(before / 2);
  await Promise.all(live.map((session) => session.stop()));
  await halyard.prune({ olderThan: "30d" });
  expect((await stat(file)).size).toBeLessThan(before / 2);
});

test("removes the state directory of a session, and counts its size", async () => {
  const home = await temporaryDirectory();
  await using store = await openSqliteStore(join(home, "halyard.db"));
  const [id = ""] = await addEnded(store, 1, 10);
  const state = join(home, "sessions", id);
  await mkdir(state, { recursive: true });
  await writeFile(join(state, "big"), "x".repeat(1_000_000));
  await using halyard = await createHalyard({ home, env: {} });
  const { freedBytes } = await halyard.prune({ olderThan: "30d" });
  expect(freedBytes).toBeGreaterThanOrEqual(1_000_000);
  await expect(stat(state)).rejects.toMatchObject({ code: "ENOENT" });
});

test("keeps an ended session that has an open request or that a process has claimed", async () => {
  const home = await temporaryDirectory();
  await using store = await openSqliteStore(join(home, "halyard.db"));
  const ids = { requestId: "req_0123456789abcdef", nativeId: "1" } as const;
  const question = { kind: "question", text: "Which one?", options: [], verdict: "ask" } as const;
  const request = { type: "request" as const, ...ids, ...question, options: [] };
  await SampleLog.create(store, { state: "lost", openRequests: [request] });
  const [id] = await addEnded(store, 1, 10);
  if (id === undefined) throw new Error("There is no session");
  const writer = await store.claim(id, ownIdentity(), null);
  await using halyard = await createHalyard({ home, env: {} });
  expect(await halyard.prune({ olderThan: "30d" })).toMatchObject({ removed: [], problems: [] });
  await writer.release();
  expect(await halyard.prune({ olderThan: "30d" })).toMatchObject({ removed: [{ id }] });
  expect(await halyard.sessions()).toMatchObject([{ openRequests: [request] }]);
});

/** Writes sessions that ended long ago, and returns their ids. */
async function addEnded(store: Store, count: number, length: number): Promise<SessionId[]> {
  const ids: SessionId[] = [];
  for (let index = 0; index < count; index++) {
    const log = await SampleLog.create(store, { state: "stopped" });
    await log.append([sampleDelta("x".repeat(length))]);
    await log.writer.release();
    ids.push(log.info.id);
  }
  return ids;
}
