import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openScene, serve } from "../../test/acp-client/scene.ts";
import { SecondClient } from "../../test/acp-client/second-client.ts";
import type { HalyardOptions } from "../halyard-options.ts";
import { eventually } from "../testing/eventually.ts";
import { fakeAdapter } from "../testing/fake/index.ts";

async function open(answer?: () => string | Promise<string>, options: HalyardOptions = {}) {
  const scene = await openScene(options);
  const served = serve(scene);
  const client = new SecondClient(served.stream, answer && { answer });
  await client.greeting;
  const newSession = async () => {
    const { sessionId } = await client.agent.request("session/new", { cwd: scene.cwd });
    return sessionId;
  };
  return { ...scene, ...served, client, newSession };
}

test("negotiates version 2 if the client requests it", async () => {
  const { client, log } = await open();
  expect(await client.greeting).toMatchObject({
    protocolVersion: 2,
    info: { name: "halyard", version: "1.2.3" },
    capabilities: { session: { mcp: { stdio: {}, http: {} } } },
  });
  expect(log).toEqual(["using ACP 2 with editor 9"]);
});

test("responds to a prompt when its turn starts, and reports the end of the turn as a state", async () => {
  const { client, newSession } = await open();
  const sessionId = await newSession();
  const { messageId } = await client.prompt(sessionId, "say one two");
  await eventually(() => expect(client.states).toEqual(["running", "idle end_turn"]));
  expect(client.updates).toContainEqual(
    expect.objectContaining({ sessionUpdate: "user_message", messageId }),
  );
  expect(client.said).toBe("one two");
});

test("reports an open request as a state, and an edit as a diff with its path", async () => {
  const { client, newSession, cwd } = await open(() => "allow");
  const sessionId = await newSession();
  await client.prompt(sessionId, "tool write a.txt hi");
  await eventually(() =>
    expect(client.states).toEqual(["running", "requires_action", "running", "idle end_turn"]),
  );
  const path = join(cwd, "a.txt");
  expect(client.asked).toMatchObject([
    {
      title: "May I use write?",
      subject: { type: "tool_call", toolCall: { kind: "edit", locations: [{ path }] } },
      options: [{ optionId: "allow" }, { optionId: "deny" }, { optionId: "always" }],
    },
  ]);
  expect(client.updates).toContainEqual(
    expect.objectContaining({
      sessionUpdate: "tool_call_update",
      status: "completed",
      content: expect.arrayContaining([{ type: "diff", changes: [{ operation: "add", path }] }]),
    }),
  );
});

test("queues a prompt behind the running prompt, and cancels both", async () => {
  const { client, newSession, halyard } = await open();
  const sessionId = await newSession();
  await client.prompt(sessionId, "wait");
  const second = client.prompt(sessionId, "say never");
  await eventually(async () => expect(await halyard.sessions()).toMatchObject([{ queue: [{}] }]));
  await client.agent.notify("session/cancel", { sessionId });
  await expect(second).rejects.toMatchObject({ code: -32800 });
  await eventually(() => expect(client.states.at(-1)).toBe("idle cancelled"));
  expect(client.said).toBe("");
  await client.prompt(sessionId, "say on");
  await eventually(() => expect(client.said).toBe("on"));
});

test("does not end the running turn when a queued prompt is interrupted", async () => {
  const { client, newSession, halyard } = await open();
  const sessionId = await newSession();
  await client.prompt(sessionId, "wait");
  const second = client.prompt(sessionId, "say never");
  await eventually(async () => expect(await halyard.sessions()).toMatchObject([{ queue: [{}] }]));
  const [info] = await halyard.sessions();
  const [turn] = info?.queue ?? [];
  if (info === undefined || turn === undefined) throw new Error("no turn waits");
  const session = await halyard.session(info.id);
  await session.interrupt({ turnId: turn.id });
  await expect(second).rejects.toMatchObject({ code: -32800 });
  expect(client.states).toEqual(["running"]);
  await client.agent.notify("session/cancel", { sessionId });
  await eventually(() => expect(client.states).toEqual(["running", "idle cancelled"]));
});

test("cancels a prompt while its runtime is being resumed", async () => {
  const fake = fakeAdapter();
  let resume = () => {};
  const resumed = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const connect = vi.fn<typeof fake.connect>(async (request) => {
    if (request.resume !== undefined) await resumed;
    return fake.connect(request);
  });
  const { client, newSession } = await open(undefined, { adapters: [{ ...fake, connect }] });
  const sessionId = await newSession();
  await client.prompt(sessionId, "say first; die");
  await eventually(() => expect(client.states.at(-1)).toBe("idle error"));
  const prompting = client.prompt(sessionId, "wait");
  await eventually(() => expect(connect).toHaveBeenCalledTimes(2));
  await client.agent.notify("session/cancel", { sessionId });
  await expect(prompting).rejects.toMatchObject({ code: -32800 });
  resume();
  await client.prompt(sessionId, "say on");
  await eventually(() => expect(client.said).toBe("firston"));
});

test("reports a failed turn as idle with the error", async () => {
  const { client, newSession } = await open();
  const sessionId = await newSession();
  await client.prompt(sessionId, "fail on fire");
  await eventually(() => expect(client.states.at(-1)).toBe("idle error"));
  expect(client.updates.at(-1)).toMatchObject({ error: { code: -32603, message: "on fire" } });
});

test("resumes a session with or without past messages and reports its state", async () => {
  const { client, cwd, halyard } = await open();
  const session = await halyard.start({ runtime: "fake", cwd });
  await session.send("say before").outcome;
  await session.stop();
  const sessionId = session.id;
  await client.agent.request("session/resume", { sessionId, cwd });
  expect(client.said).toBe("");
  expect(client.states).toEqual(["idle"]);
  await client.agent.request("session/resume", { sessionId, cwd, replayFrom: { type: "start" } });
  expect(client.said).toBe("before");
  expect(client.states).toEqual(["idle", "idle"]);
  await client.prompt(sessionId, "say after");
  await eventually(() => expect(client.said).toBe("beforeafter"));
});

test("changes the mode, and lists, closes and deletes sessions", async () => {
  const { client, newSession, halyard } = await open();
  const sessionId = await newSession();
  const { configOptions } = await client.agent.request("session/set_config_option", {
    sessionId,
    configId: "mode",
    type: "id",
    value: "plan",
  });
  expect(configOptions).toMatchObject([{ configId: "mode", currentValue: "plan" }, {}, {}]);
  expect(await halyard.sessions()).toMatchObject([{ plan: true }]);
  expect(await client.agent.request("session/list", {})).toMatchObject({
    sessions: [{ sessionId }],
  });
  await client.agent.request("session/close", { sessionId });
  expect(await halyard.processes()).toEqual([]);
  await client.agent.request("session/delete", { sessionId });
  expect(await halyard.sessions()).toEqual([]);
});
