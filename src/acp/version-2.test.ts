import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openScene, serve } from "../../test/acp-client/scene.ts";
import { SecondClient } from "../../test/acp-client/second-client.ts";
import type { HalyardOptions } from "../create-halyard.ts";
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

test("speaks version 2 with a client that asks for it", async () => {
  const { client, log } = await open();
  expect(await client.greeting).toMatchObject({
    protocolVersion: 2,
    info: { name: "halyard", version: "1.2.3" },
    capabilities: { session: { mcp: { stdio: {}, http: {} } } },
  });
  expect(log).toEqual(["speaking ACP 2 with editor 9"]);
});

test("a prompt is answered when the runtime has it, and its end is told by the state", async () => {
  const { client, newSession } = await open();
  const sessionId = await newSession();
  const { messageId } = await client.prompt(sessionId, "say one two");
  await vi.waitFor(() => expect(client.states).toEqual(["running", "idle end_turn"]));
  expect(client.updates).toContainEqual(
    expect.objectContaining({ sessionUpdate: "user_message", messageId }),
  );
  expect(client.said).toBe("one two");
});

test("waiting for an answer is a state, and an edit comes as a change of a path", async () => {
  const { client, newSession, cwd } = await open(() => "allow");
  const sessionId = await newSession();
  await client.prompt(sessionId, "tool write a.txt hi");
  await vi.waitFor(() =>
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

test("a prompt waits for the one before it, and cancelling ends both", async () => {
  const { client, newSession, halyard } = await open();
  const sessionId = await newSession();
  await client.prompt(sessionId, "wait");
  const second = client.prompt(sessionId, "say never");
  await vi.waitFor(async () => expect(await halyard.sessions()).toMatchObject([{ queue: [{}] }]));
  await client.agent.notify("session/cancel", { sessionId });
  await expect(second).rejects.toMatchObject({ code: -32800 });
  await vi.waitFor(() => expect(client.states.at(-1)).toBe("idle cancelled"));
  expect(client.said).toBe("");
  await client.prompt(sessionId, "say on");
  await vi.waitFor(() => expect(client.said).toBe("on"));
});

test("a prompt that ends before its turn comes leaves the one under way running", async () => {
  const { client, newSession, halyard } = await open();
  const sessionId = await newSession();
  await client.prompt(sessionId, "wait");
  const second = client.prompt(sessionId, "say never");
  await vi.waitFor(async () => expect(await halyard.sessions()).toMatchObject([{ queue: [{}] }]));
  const [info] = await halyard.sessions();
  const [turn] = info?.queue ?? [];
  if (info === undefined || turn === undefined) throw new Error("no turn waits");
  const session = await halyard.session(info.id);
  await session.interrupt({ turnId: turn.id });
  await expect(second).rejects.toMatchObject({ code: -32800 });
  expect(client.states).toEqual(["running"]);
  await client.agent.notify("session/cancel", { sessionId });
  await vi.waitFor(() => expect(client.states).toEqual(["running", "idle cancelled"]));
});

test("a prompt is cancelled while its runtime is resumed", async () => {
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
  await vi.waitFor(() => expect(client.states.at(-1)).toBe("idle error"));
  const prompting = client.prompt(sessionId, "wait");
  await vi.waitFor(() => expect(connect).toHaveBeenCalledTimes(2));
  await client.agent.notify("session/cancel", { sessionId });
  await expect(prompting).rejects.toMatchObject({ code: -32800 });
  resume();
  await client.prompt(sessionId, "say on");
  await vi.waitFor(() => expect(client.said).toBe("firston"));
});

test("a turn that fails is idle with the error", async () => {
  const { client, newSession } = await open();
  const sessionId = await newSession();
  await client.prompt(sessionId, "fail on fire");
  await vi.waitFor(() => expect(client.states.at(-1)).toBe("idle error"));
  expect(client.updates.at(-1)).toMatchObject({ error: { code: -32603, message: "on fire" } });
});

test("a session is resumed with or without what was said, and says what it is at", async () => {
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
  await vi.waitFor(() => expect(client.said).toBe("beforeafter"));
});

test("mode and model are options, and sessions are listed, closed and deleted", async () => {
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
