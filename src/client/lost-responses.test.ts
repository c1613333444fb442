import { expect, test } from "vitest";
import { openLossyLine } from "../../test/http/lossy-line.ts";
import { serve, TOKEN } from "../../test/http/served.ts";
import type { Halyard } from "../contracts/halyard.ts";
import { newSessionId } from "../errors/require-id.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionId } from "../schema/id.ts";
import { collect, until } from "../testing/halyard/fixture.ts";
import { repliesIn } from "../testing/replies.ts";
import { connectHalyard } from "./index.ts";

/** Creates a server and a client whose connection loses responses. */
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
  return collect(halyard.events(sessionId, { follow: false }));
}

test.each([1, 3])("starts one session if the response is lost %i times", async (times) => {
  await using room = await open();
  room.line.lose("POST /v1/sessions", times);
  const session = await room.halyard.start(room.request);
  expect((await room.served.sessions()).map(({ id }) => id)).toEqual([session.id]);
  expect(room.line.lost).toBeGreaterThan(0);
  expect(await session.send("say hello").outcome).toMatchObject({ text: "hello" });
});

test("starts one session under a given id if the response is lost", async () => {
  await using room = await open();
  const id = newSessionId();
  room.line.lose("POST /v1/sessions");
  expect((await room.halyard.start({ ...room.request, id })).id).toBe(id);
  expect(await room.served.sessions()).toHaveLength(1);
  const again = room.halyard.start({ ...room.request, id });
  await expect(again).rejects.toMatchObject({ code: "invalid_input" });
});

test("rejects a failed start with the original error, even if the response is lost", async () => {
  await using room = await open();
  const startup = { ...room.request, host: "tmux" as const };
  const refused = { code: "unsupported" };
  await expect(room.halyard.start(startup)).rejects.toMatchObject(refused);
  room.line.lose("POST /v1/sessions");
  await expect(room.halyard.start(startup)).rejects.toMatchObject(refused);
  expect(room.line.lost).toBe(1);
});

test("steers a turn once if the response is lost and the turn is still running", async () => {
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
  const replies = repliesIn(log);
  expect(replies.filter((text) => text === "steered")).toHaveLength(1);
  expect(log.filter((event) => event.type === "completion")).toHaveLength(1);
});

test("starts no turn for a steer message whose response is lost, even if the turn ends before the retry", async () => {
  await using room = await open();
  const session = await room.halyard.start(room.request);
  await session.ready();
  const turn = session.send("wait");
  await until(turn, "system");
  room.line.lose(`POST /v1/sessions/${session.id}/turns`);
  const steering = session.send("say steered", { delivery: "steer" });
  await turn.outcome; // the turn ends before the client receives the response to the steer message
  expect(await steering.accepted).toEqual({ status: "confirmed" });
  expect(await steering.outcome).toMatchObject({ status: "completed", text: "steered" });
  expect(room.line.lost).toBe(1);
  expect(await room.served.find(session.id)).toMatchObject({ turns: 1, state: "idle" });
});
