import { expect, test } from "vitest";
import { FirstClient } from "../../../test/acp-client/first-client.ts";
import {
  cursorIn,
  type ReceivedUpdate,
  ReconnectingClient,
} from "../../../test/acp-client/reconnecting-client.ts";
import { openRemote, openWebSocket } from "../../../test/acp-client/remote-scene.ts";
import { eventually } from "../../testing/eventually.ts";

test("sends every update once to a client that loses its connection 20 times in a turn", async () => {
  const { url, cwd, halyard, faults } = await openRemote();
  const LOSSES = 20;
  const client: ReconnectingClient = new ReconnectingClient({
    url,
    cwd,
    loses: (received) => client.losses < LOSSES && received % 4 === 0,
    answer: async () => {
      // The turn waits for an answer, so all connection losses happen while it runs.
      await eventually(() => expect(client.losses).toBe(LOSSES));
      return "allow";
    },
  });
  const sessionId = await client.start();
  const steady: ReceivedUpdate[] = [];
  const observer = new FirstClient(openWebSocket(url).stream, {
    answer: () => new Promise(() => {}), // the client never answers
    onUpdate: ({ update, _meta }) => steady.push({ update, cursor: cursorIn(_meta) }),
  });
  await observer.agent.request("session/resume", { sessionId, cwd });

  const script = "think so; stream 60; tool read missing.txt; stream 30; ask; stream 20; say done";
  expect(await client.prompt(script)).toMatchObject({ stopReason: "end_turn" });
  expect(client.losses).toBe(LOSSES);
  const mapped = (all: readonly ReceivedUpdate[]) => all.filter(({ cursor }) => cursor);
  const own = mapped(client.received);
  expect(new Set(own.map(({ cursor }) => cursor)).size).toBe(own.length);
  await eventually(() => expect(mapped(steady).at(-1)).toEqual(own.at(-1)));
  const others = mapped(steady).filter((one) => one.update.sessionUpdate !== "user_message_chunk");
  expect(own).toEqual(others);
  expect(own.length).toBeGreaterThan(100);
  const info = await halyard.find(sessionId);
  expect(info).toMatchObject({ turns: 1, state: "idle" }); // the prompt was delivered once
  expect(faults).toEqual([]);
});

test("returns the result of a prompt that ended while the client was disconnected", async () => {
  const { url, cwd, halyard } = await openRemote();
  const client = new ReconnectingClient({ url, cwd, loses: (received) => received === 1 });
  const sessionId = await client.start();
  const session = await halyard.session(sessionId);
  const ended = (async () => {
    for await (const event of session.events()) if (event.type === "completion") return;
  })();
  const prompted = client.prompt("say one; say two");
  await ended;
  expect(await prompted).toMatchObject({ stopReason: "end_turn" });
  expect(await halyard.find(sessionId)).toMatchObject({ turns: 1 });
});

test.each(["nonsense", "99999.0", "-1", "1.0.0"])(
  "rejects the invalid cursor %s",
  async (after) => {
    const { url, cwd } = await openRemote();
    const client = new FirstClient(openWebSocket(url).stream);
    const sessionId = await client.newSession(cwd);
    const resumed = client.agent.request("session/resume", {
      sessionId,
      cwd,
      _meta: { halyard: { after } },
    });
    await expect(resumed).rejects.toMatchObject({ message: expect.stringContaining("cursor") });
  },
);
