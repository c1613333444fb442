import { expect, test } from "vitest";
import { createConnection, startSession, withWriter } from "../../test/session/bare-session.ts";
import { createDeferred } from "../async/deferred.ts";
import type { Output } from "../contracts/adapter.ts";
import type { Store } from "../contracts/store.ts";
import { HalyardError } from "../errors/error.ts";
import { newTurnId } from "../errors/require-id.ts";
import type { Limits } from "../schema/session/start-request.ts";
import { MemoryStore } from "../stores/memory.ts";
import { collect } from "../testing/halyard/fixture.ts";
import { repliesIn } from "../testing/replies.ts";

/** Creates a store whose disk the test can fill. */
function createDisk() {
  let isFull = false;
  let refused = 0;
  let waiting: { count: number; reached: () => void } | undefined;
  const store: Store = withWriter(new MemoryStore(), (writer) => ({
    async append(block) {
      if (!isFull) return writer.append(block);
      refused++;
      if (waiting && refused >= waiting.count) waiting.reached();
      throw new HalyardError("store_full", "the disk is full");
    },
    release: () => writer.release(),
  }));
  return {
    store,
    fill(): void {
      isFull = true;
      refused = 0;
    },
    free(): void {
      isFull = false;
    },
    /** Resolves when this many writes have been rejected since `fill`. */
    async refuses(count: number): Promise<void> {
      const { promise, resolve } = createDeferred<void>();
      waiting = { count, reached: resolve };
      if (refused < count) await promise;
    },
  };
}

function reply(text: string): Output {
  const channel = "text";
  return { drafts: [{ type: "message", role: "assistant", channel, messageId: text, text }] };
}

const full = { code: "store_full" };

/** Starts a session and records the messages that its runtime receives. */
async function open(limits: Partial<Limits> = {}) {
  const disk = createDisk();
  const sent: string[] = [];
  const bare = createConnection({
    async send({ text }) {
      sent.push(text);
      return { status: "confirmed" };
    },
  });
  const started = await startSession(bare.connection, disk.store, { limits });
  await started.session.ready();
  return { ...bare, ...started, disk, sent };
}

test("logs output that was received while the disk was full, in order, when there is space again", async () => {
  await using room = await open({ progressMs: 20, firstOutputMs: 20 });
  const { session, disk, output } = room;
  const turn = session.send("x");
  await turn.accepted;
  disk.fill();
  output.push(reply("one"));
  output.push(reply("two"));
  await disk.refuses(4); // four rejected writes take longer than both silence limits
  room.complete();
  disk.free();
  expect(await turn.outcome).toMatchObject({ status: "completed" });
  const events = await collect(session.events({ follow: false }));
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const said = repliesIn(events);
  expect(said).toEqual(["one", "two"]);
  expect(events.at(-1)).toMatchObject({ type: "completion" });
});

test("rejects a message with `store_full` while the disk is full, and accepts the same id later", async () => {
  await using room = await open();
  const { session, disk, sent } = room;
  const id = newTurnId();
  disk.fill();
  const refused = session.send("x", { id });
  expect(await refused.outcome).toMatchObject({ status: "failed", error: full });
  expect(await collect(refused)).toEqual([]);
  disk.free();
  const turn = session.send("x", { id });
  expect(await turn.accepted).toEqual({ status: "confirmed" });
  room.complete();
  expect(await turn.outcome).toMatchObject({ status: "completed" });
  expect(sent).toEqual(["x"]);
});

test("rejects new messages and changes while the disk is full, and completes the running turn afterward", async () => {
  await using room = await open();
  const { halyard, session, disk, sent, output } = room;
  const turn = session.send("x");
  await turn.accepted;
  disk.fill();
  const refused = [
    session.send("queued"),
    session.send("steered", { delivery: "steer" }),
    session.send("queued too"),
  ];
  output.push(reply("meanwhile"));
  for (const { accepted } of refused)
    expect(await accepted).toMatchObject({ status: "failed", error: full });
  await expect(halyard.update(session.id, { name: "n" })).rejects.toMatchObject(full);
  disk.free();
  room.complete();
  expect(await turn.outcome).toMatchObject({ status: "completed", text: "meanwhile" });
  expect(sent).toEqual(["x"]);
  expect(session.info).toMatchObject({ state: "idle", queue: [], turns: 1 });
});

test("delivers a queued message when the disk has space again", async () => {
  await using room = await open();
  const { session, disk, sent } = room;
  const first = session.send("first");
  const second = session.send("second");
  await second.accepted;
  disk.fill();
  room.complete();
  await disk.refuses(3);
  disk.free();
  await first.outcome;
  expect(await second.accepted).toEqual({ status: "queued" });
  room.complete();
  expect(await second.outcome).toMatchObject({ status: "completed" });
  expect(sent).toEqual(["first", "second"]);
});

test("rejects stop, resume and remove while the disk is full, and records the stop when there is space again", async () => {
  await using room = await open();
  const { halyard, session, disk, output } = room;
  const turn = session.send("x");
  await turn.accepted;
  disk.fill();
  output.push(reply("last words"));
  await expect(session.stop("enough")).rejects.toMatchObject(full);
  await expect(halyard.resume(session.id)).rejects.toMatchObject(full);
  await expect(halyard.remove(session.id)).rejects.toMatchObject(full);
  disk.free();
  expect(await turn.outcome).toMatchObject({ status: "cancelled", text: "last words" });
  await session.stop();
  const found = await disk.store.find(session.id);
  expect(found).toMatchObject({ owner: null, info: { state: "stopped", reason: "enough" } });
});

test("does not wait for the disk when the Halyard instance is disposed, and settles open turns", async () => {
  await using room = await open();
  const { halyard, session, disk, output } = room;
  const turn = session.send("x");
  await turn.accepted;
  disk.fill();
  output.push(reply("never written"));
  await disk.refuses(1);
  await halyard[Symbol.asyncDispose]();
  expect(await turn.outcome).toMatchObject({ status: "failed", error: full });
});
