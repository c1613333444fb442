import { expect, test } from "vitest";
import { openLossyLine } from "../../test/http/lossy-line.ts";
import { serve, TOKEN } from "../../test/http/served.ts";
import type { Halyard } from "../core/halyard.ts";
import { newSessionId } from "../core/id.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionId } from "../schema/id.ts";
import { collect, until } from "../testing/halyard/fixture.ts";
import { repliesIn } from "../testing/replies.ts";
import { connectHalyard } from "./index.ts";

/** A server, and a client to whom it answers on a line that loses answers. */
async function open() {
  const served = await serve();
  const line = await openLossyLine(served.url);
  const halyard = await connectHalyard(line.url, { token: TOKEN, reconnectMs: 10_000 });
  return {
    ...served,
    line,
    halyard,
    request: { runtime: "fake", cwd: served.cwd, permissions: "allow-all" } as const,
    served: served.halyard,
    async [Symbol.asyncDispose]() {
      await halyard[Symbol.asyncDispose]();
      await line[Symbol.asyncDispose]();
      await served[Symbol.asyncDispose]();
    },
  };
}

async function logOf(halyard: Halyard, sessionId: SessionId): Promise<StreamEvent[]> {
  return collect(halyard.events({ sessionId, follow: false }));
}

test.each([1, 3])("a start whose answer is lost %i times is one session", async (times) => {
  await using room = await open();
  room.line.lose("POST /v1/sessions", times);
  const session = await room.halyard.start(room.request);
  expect((await room.served.sessions()).map(({ id }) => id)).toEqual([session.id]);
  expect(room.line.lost).toBeGreaterThan(0);
  expect(await session.send("say hello").outcome).toMatchObject({ text: "hello" });
});

test("a start under an id of one's own is that session, too", async () => {
  await using room = await open();
  const id = newSessionId();
  room.line.lose("POST /v1/sessions");
  expect((await room.halyard.start({ ...room.request, id })).id).toBe(id);
  expect(await room.served.sessions()).toHaveLength(1);
  const again = room.halyard.start({ ...room.request, id });
  await expect(again).rejects.toMatchObject({ code: "invalid_input" });
});

test("a start that fails does so by its name, whether or not its answer is lost", async () => {
  await using room = await open();
  const startup = { ...room.request, host: "tmux" as const };
  const refused = { code: "unsupported" };
  await expect(room.halyard.start(startup)).rejects.toMatchObject(refused);
  room.line.lose("POST /v1/sessions");
  await expect(room.halyard.start(startup)).rejects.toMatchObject(refused);
  expect(room.line.lost).toBe(1);
});

test("what is steered into a turn goes there once, though the answer is lost and the turn goes on", async () => {
  await using room = await open();
  const session = await room.halyard.start(room.request);
  await session.ready();
  const turn = session.send("wait; wait; say end");
  await until(turn, "system");
  room.line.lose(`POST /v1/sessions/${session.id}/turns`, 2);
  const steering = session.send("say steered", { delivery: "steer" });
  expect(steering.id).toBe(turn.id);
  expect(await steering.accepted).toEqual({ status: "confirmed" });
  expect(room.line.lost).toBe(2);
  await session.send("say more", { delivery: "steer" }).accepted;
  await turn.outcome;
  const log = await logOf(room.served, session.id);
  const said = repliesIn(log);
  expect(said.filter((text) => text === "steered")).toHaveLength(1);
  expect(log.filter((event) => event.type === "completion")).toHaveLength(1);
});

test("what was steered into a turn is no turn of its own, though the turn has ended when it is asked again", async () => {
  await using room = await open();
  const session = await room.halyard.start(room.request);
  await session.ready();
  const turn = session.send("wait");
  await until(turn, "system");
  room.line.lose(`POST /v1/sessions/${session.id}/turns`);
  const steering = session.send("say steered", { delivery: "steer" });
  await turn.outcome; // and the answer is not there yet
  expect(await steering.accepted).toEqual({ status: "confirmed" });
  expect(await steering.outcome).toMatchObject({ status: "completed", text: "steered" });
  expect(room.line.lost).toBe(1);
  expect(await room.served.find(session.id)).toMatchObject({ turns: 1, state: "idle" });
});
