import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Store } from "../contracts/store.ts";
import { newSessionId, newTurnId } from "../errors/require-id.ts";
import { SampleLog } from "../testing/sample-log.ts";
import { sampleBlock, sampleDelta, sampleProcess } from "../testing/sample-session.ts";
import { MemoryStore } from "./memory.ts";
import { openSqliteStore } from "./sqlite/store.ts";

const ids = [newSessionId(), newSessionId(), newSessionId()];
const _turns = [newTurnId(), newTurnId()];

function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  const never = { weight: 6, arbitrary: fc.constant(undefined) };
  return fc.oneof(never, { weight: 1, arbitrary });
}

/** The changes to a session that a block contains. Most blocks change neither its name nor its state. */
const change = fc.record({
  cursor: fc.option(fc.nat(), { nil: undefined }),
  turnCursor: rarely(fc.nat()),
  name: rarely(fc.constantFrom("one", "other")),
  state: rarely(fc.constantFrom("idle", "running")),
});

const step = fc.record({
  session: fc.nat(ids.length - 1),
  action: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ append: fc.array(fc.string({ unit: "binary" })), change }),
    },
    { weight: 1, arbitrary: fc.constant("remove" as const) },
    { weight: 1, arbitrary: fc.constant("claim" as const) },
    { weight: 1, arbitrary: fc.constant("release" as const) },
  ),
  waits: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const range = fc.record({ after: fc.nat(40), limit: fc.nat(20) });

test("the memory store and the SQLite store return the same results for any sequence of operations", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), range, async (steps, part) => {
      const directory = await mkdtemp(join(tmpdir(), "halyard-"));
      const stores = [new MemoryStore(), await openSqliteStore(join(directory, "halyard.db"))];
      const stories = [];
      for (const store of stores) {
        const results = await play(store, steps);
        stories.push({ results, records: await store.list(), ...(await readBack(store, part)) });
        await store[Symbol.asyncDispose]();
      }
      await rm(directory, { recursive: true });
      expect(stories[1]).toEqual(stories[0]);
    }),
    { numRuns: 60 },
  );
});

/** Performs all operations and returns "done" or the error code of each. */
async function play(store: Store, steps: readonly Step[]): Promise<unknown[]> {
  const logs = new Map<string, SampleLog>();
  const results: Promise<unknown>[] = [];
  for (const { session, action, waits } of steps) {
    const id = ids[session] ?? newSessionId();
    let log = logs.get(id);
    if (log === undefined) {
      log = await SampleLog.create(store, { id });
      logs.set(id, log);
    }
    const done = act(store, log, action);
    results.push(done.then(() => "done").catch((error) => error.code));
    if (action === "remove") logs.delete(id);
    if (action === "claim" || action === "remove" || waits) await results.at(-1);
  }
  return Promise.all(results);
}

async function act(store: Store, log: SampleLog, action: Step["action"]): Promise<void> {
  const { id } = log.info;
  if (action === "remove") return store.remove(id);
  if (action === "release") return log.writer.release();
  if (action === "claim") {
    await store.claim(id, sampleProcess(2), sampleProcess(1));
    return;
  }
  const events = action.append.map(sampleDelta);
  const { cursor, turnCursor, name, state = log.info.state } = action.change;
  const { info } = sampleBlock(log.info, events);
  return log.append(events, {
    info: { ...info, state, ...(name && { name }) },
    cursor,
    turnCursor,
  });
}

async function readBack(store: Store, part: { after: number; limit: number }) {
  const whole = { after: 0, limit: 1000 };
  return {
    all: await store.readAll(whole),
    someOfAll: await store.readAll(part),
    each: await Promise.all(ids.map((id) => store.read(id, whole))),
    someOfEach: await Promise.all(ids.map((id) => store.read(id, part))),
  };
}
