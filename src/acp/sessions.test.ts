import { expect, test } from "vitest";
import { FirstClient } from "../../test/acp-client/first-client.ts";
import { openFirst, openScene, serve } from "../../test/acp-client/scene.ts";
import { createConnection } from "../../test/session/bare-session.ts";
import { eventually } from "../testing/eventually.ts";
import { fakeAdapter } from "../testing/fake/index.ts";

test("loads a session and sends each of its messages once, as a whole", async () => {
  const scene = await openScene();
  const session = await scene.halyard.start({
    runtime: "fake",
    cwd: scene.cwd,
    permissions: "allow-all",
  });
  await session.send("think hm; tool write a.txt x; say one two three; retry again and again")
    .outcome;
  await session.stop();
  const client = new FirstClient(serve(scene).stream);
  const sessionId = session.id;
  const { modes } = await client.agent.request("session/load", {
    sessionId,
    cwd: scene.cwd,
    mcpServers: [],
  });
  expect(modes?.currentModeId).toBe("allow-all");
  expect(client.updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
    "user_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "agent_message_chunk",
    "agent_message_chunk",
  ]);
  expect(client.receivedText("agent_message_chunk")).toBe("one two threeagain and again");
  client.updates.length = 0;
  await client.prompt(sessionId, "recall");
  expect(client.receivedText("agent_message_chunk")).toMatch(/^think hm; tool write/);
});

test("resumes a session without sending earlier messages", async () => {
  const scene = await openScene();
  const session = await scene.halyard.start({ runtime: "fake", cwd: scene.cwd });
  await session.send("say before").outcome;
  await session.stop();
  const client = new FirstClient(serve(scene).stream);
  const sessionId = session.id;
  await client.agent.request("session/resume", { sessionId, cwd: scene.cwd });
  await client.prompt(sessionId, "recall");
  expect(client.receivedText("agent_message_chunk")).toBe("say before");
  expect(client.receivedText("user_message_chunk")).toBe("");
});

test("keeps the id and settings of a loaded session that has had no turn", async () => {
  const scene = await openScene();
  const { id: sessionId } = await scene.halyard.start({
    runtime: "fake",
    cwd: scene.cwd,
    name: "fresh",
    permissions: "allow-all",
  });
  await (await scene.halyard.session(sessionId)).stop();
  const client = new FirstClient(serve(scene).stream);
  await client.agent.request("session/load", { sessionId, cwd: scene.cwd, mcpServers: [] });
  await client.prompt(sessionId, "say hi");
  expect(client.receivedText("agent_message_chunk")).toBe("hi");
  expect(await scene.halyard.sessions()).toMatchObject([
    { id: sessionId, name: "fresh", permissions: "allow-all", turns: 1 },
  ]);
});

test("sends past messages, new messages and open requests to a client that joins during a turn", async () => {
  const scene = await openScene();
  const session = await scene.halyard.start({ runtime: "fake", cwd: scene.cwd });
  const turn = session.send("say before; ask; say after");
  for await (const event of turn) if (event.type === "request") break;
  const { stream, leave } = serve(scene);
  const client = new FirstClient(stream, { answer: () => "allow" });
  const sessionId = session.id;
  await client.agent.request("session/load", { sessionId, cwd: scene.cwd, mcpServers: [] });
  await turn.outcome;
  await eventually(() =>
    expect(client.receivedText("agent_message_chunk")).toBe("beforeallowedafter"),
  );
  expect(client.receivedText("user_message_chunk")).toBe("say before; ask; say after");
  await session.send("say hello from elsewhere").outcome;
  await eventually(() =>
    expect(client.receivedText("agent_message_chunk")).toMatch(/from elsewhere$/),
  );
  expect(client.receivedText("user_message_chunk")).toMatch(/say hello from elsewhere$/);
  await leave();
  expect(session.info.state).toBe("idle");
});

test("lists sessions newest first, by directory and in pages", async () => {
  const connect = async () => createConnection().connection; // starts no process
  const scene = await openScene({ adapters: [{ ...fakeAdapter(), connect }] });
  const { halyard, cwd } = scene;
  const ids: string[] = [];
  for (let left = 51; left > 0; left--) {
    const { id } = await halyard.start({ runtime: "fake", cwd, name: `s${left}` });
    ids.unshift(id);
    await halyard.session(id).then((session) => session.stop());
  }
  const client = new FirstClient(serve(scene).stream);
  const page = await client.agent.request("session/list", { cwd });
  const { nextCursor = "" } = page;
  const rest = await client.agent.request("session/list", { cwd, cursor: nextCursor });
  expect(rest.nextCursor).toBeUndefined();
  const all = [...page.sessions, ...rest.sessions];
  expect(all.map(({ sessionId }) => sessionId)).toEqual(ids);
  expect(all[0]).toMatchObject({ title: "s1", cwd, updatedAt: expect.any(String) });
  expect(await client.agent.request("session/list", { cwd: "/" })).toEqual({ sessions: [] });
}, 60_000);

test("lists a session without a name under its first prompt", async () => {
  const { client, cwd } = await openFirst();
  const sessionId = await client.newSession(cwd);
  await client.prompt(sessionId, "say hi\nand more");
  const { sessions } = await client.agent.request("session/list", {});
  expect(sessions).toMatchObject([{ sessionId, title: "say hi" }]);
  expect(client.of("session_info_update")).toMatchObject([{ title: "say hi" }]);
});

test("closes a session, loads it again and deletes it", async () => {
  const { client, cwd, halyard } = await openFirst();
  const sessionId = await client.newSession(cwd);
  await client.prompt(sessionId, "say hi");
  await client.agent.request("session/close", { sessionId });
  expect(await halyard.sessions()).toMatchObject([{ state: "stopped" }]);
  expect(await halyard.processes()).toEqual([]);
  await expect(client.prompt(sessionId, "say hi")).rejects.toMatchObject({ code: -32002 });
  await client.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  await client.agent.request("session/delete", { sessionId });
  expect(await halyard.sessions()).toEqual([]);
  expect(await halyard.processes()).toEqual([]);
});

test("ends the turn and all processes when the client disconnects", async () => {
  const { client, cwd, halyard, leave } = await openFirst();
  const sessionId = await client.newSession(cwd);
  const prompting = client.prompt(sessionId, "wait");
  prompting.catch(() => {});
  await eventually(async () =>
    expect(await halyard.sessions()).toMatchObject([{ state: "running" }]),
  );
  await leave();
  expect(await halyard.sessions()).toMatchObject([
    { state: "stopped", reason: "the client disconnected" },
  ]);
  expect(await halyard.processes()).toEqual([]);
});

test("keeps a request open after the client disconnects if turns continue without it", async () => {
  const { client, cwd, halyard, leave } = await openFirst(
    { answer: () => new Promise(() => {}) },
    { continuesTurns: true },
  );
  const sessionId = await client.newSession(cwd);
  const idle = await client.newSession(cwd);
  client.prompt(sessionId, "ask").catch(() => {});
  await eventually(() => expect(client.asked).toHaveLength(1));
  await leave();
  const states = (await halyard.sessions()).map(({ id, state }) => ({ id, state }));
  expect(states).toEqual([
    { id: idle, state: "stopped" },
    { id: sessionId, state: "waiting" },
  ]);
});
