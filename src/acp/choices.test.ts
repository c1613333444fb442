import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { FirstClient } from "../../test/acp-client/first-client.ts";
import { openFirst, openScene, serve } from "../../test/acp-client/scene.ts";
import type { Adapter, ConnectRequest } from "../core/adapter.ts";
import { HalyardError } from "../core/error.ts";
import { SessionId } from "../schema/id.ts";
import { fakeAdapter } from "../testing/fake/index.ts";

test("the mode is a policy, or planning; it is told to the client and holds", async () => {
  const { client, cwd, halyard } = await openFirst();
  const { sessionId, modes } = await client.agent.request("session/new", { cwd, mcpServers: [] });
  expect(modes?.currentModeId).toBe("ask");
  await client.agent.request("session/set_mode", { sessionId, modeId: "allow-all" });
  await client.prompt(sessionId, "tool write a.txt x");
  expect(client.asked).toEqual([]);
  expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("x");
  await client.agent.request("session/set_mode", { sessionId, modeId: "plan" });
  await client.prompt(sessionId, "tool write b.txt x");
  expect(client.of("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
  expect(await halyard.sessions()).toMatchObject([{ plan: true, permissions: "allow-all" }]);
  await client.agent.request("session/set_mode", { sessionId, modeId: "ask" });
  expect(await halyard.sessions()).toMatchObject([{ plan: false, permissions: "ask" }]);
  const told = () => client.of("current_mode_update").map((update) => update.currentModeId);
  await vi.waitFor(() => expect(told()).toEqual(["allow-all", "plan", "ask"]));
  await expect(
    client.agent.request("session/set_mode", { sessionId, modeId: "yolo" }),
  ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("there is no mode") });
});

test("a client limited to a policy chooses no looser mode and takes up no looser session", async () => {
  const { client, cwd, halyard } = await openFirst({}, { limit: "ask" });
  const { sessionId, modes } = await client.agent.request("session/new", { cwd, mcpServers: [] });
  expect(modes?.availableModes.map(({ id }) => id)).toEqual(["ask", "deny", "plan"]);
  const refused = { code: -32602, data: { code: "forbidden" } };
  const set = (modeId: string) => client.agent.request("session/set_mode", { sessionId, modeId });
  for (const mode of ["allow-all", "allow-edits"])
    await expect(set(mode)).rejects.toMatchObject(refused);
  await set("deny");
  await set("ask");

  const loose = await halyard.start({ runtime: "fake", cwd, permissions: "allow-all" });
  const takeUp = { sessionId: loose.id, cwd, mcpServers: [] };
  for (const method of ["session/load", "session/resume"] as const)
    await expect(client.agent.request(method, takeUp)).rejects.toMatchObject(refused);
  await expect(
    client.agent.request("session/delete", { sessionId: loose.id }),
  ).rejects.toMatchObject(refused);
  const { sessions } = await client.agent.request("session/list", {});
  expect(sessions.map(({ sessionId: id }) => id)).toEqual([sessionId]);

  const id = SessionId.parse(sessionId);
  await halyard.update(id, { permissions: "allow-all" });
  await expect(client.prompt(sessionId, "tool write a.txt x")).rejects.toMatchObject(refused);
});

test("a client limited to a policy makes no session less strict that it did not start", async () => {
  const { client, cwd, halyard } = await openFirst({}, { limit: "allow-edits" });
  const { id: sessionId } = await halyard.start({ runtime: "fake", cwd, permissions: "ask" });
  await client.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  const set = (modeId: string) => client.agent.request("session/set_mode", { sessionId, modeId });
  const refused = { code: -32602, data: { code: "forbidden" } };
  await expect(set("allow-edits")).rejects.toMatchObject(refused);
  await set("deny");
  await set("ask"); // as it was
  await expect(set("allow-edits")).rejects.toMatchObject(refused);
  expect(await halyard.find(sessionId)).toMatchObject({ permissions: "ask" });
});

test("model and reasoning are chosen, whether or not the model is listed", async () => {
  const models = [{ id: "m-1", name: "Fast" }];
  const { client, cwd } = await openFirst({}, { models });
  const { sessionId, configOptions } = await client.agent.request("session/new", {
    cwd,
    mcpServers: [],
  });
  expect(configOptions?.find(({ id }) => id === "model")).toMatchObject({
    category: "model",
    currentValue: "default",
    options: [{ value: "default" }, { value: "m-1", name: "Fast" }],
  });
  const choose = (configId: string, value: string) =>
    client.agent.request("session/set_config_option", { sessionId, configId, value });
  const chosen = await choose("model", "m-7");
  expect(chosen.configOptions.find(({ id }) => id === "model")).toMatchObject({
    currentValue: "m-7",
  });
  await choose("thought_level", "high");
  await client.prompt(sessionId, "flag model; flag reasoning");
  expect(client.heard("agent_message_chunk")).toBe("m-7high");
  await expect(choose("thought_level", "extreme")).rejects.toMatchObject({ code: -32602 });
  await expect(choose("colour", "blue")).rejects.toMatchObject({ code: -32602 });
});

/** A session of a runtime that cannot change while it runs, and takes only what `ready` lets it. */
async function openRigid(ready: (request: ConnectRequest) => Promise<void> = async () => {}) {
  const fake = fakeAdapter();
  const rigid: Adapter = {
    ...fake,
    name: "rigid",
    capabilities: fake.capabilities.filter((capability) => capability !== "settings"),
    connect: async (request) => {
      const connection = await fake.connect(request);
      const shakeHands = connection.ready.bind(connection);
      const handshake = ready(request).then(shakeHands);
      handshake.catch(() => {}); // for whoever asks whether it is ready
      return Object.assign(connection, { configure: undefined, ready: () => handshake });
    },
  };
  const scene = await openScene({ adapters: [rigid] });
  const startRequest = async (cwd: string) => ({ runtime: "rigid", cwd });
  const client = new FirstClient(serve(scene, { startRequest }).stream);
  const sessionId = await client.newSession(scene.cwd);
  const choose = (modeId: string) =>
    client.agent.request("session/set_mode", { sessionId, modeId });
  const chooseModel = (value: string) =>
    client.agent.request("session/set_config_option", { sessionId, configId: "model", value });
  return { ...scene, client, sessionId, choose, chooseModel };
}

test("a runtime that cannot change while it runs goes on anew, with all that was said", async () => {
  const { client, sessionId, choose, halyard } = await openRigid();
  await choose("allow-edits"); // before anything was said
  await client.prompt(sessionId, "tool write a.txt x");
  expect(client.asked).toEqual([]);
  await choose("deny");
  await client.prompt(sessionId, "tool write b.txt x; recall");
  expect(client.of("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
  expect(client.heard("agent_message_chunk")).toBe("tool write a.txt x");
  const waiting = client.prompt(sessionId, "wait");
  await expect(choose("ask")).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining("wait for its turn to end"),
  });
  await client.agent.notify("session/cancel", { sessionId });
  await waiting;
  expect(await halyard.sessions()).toMatchObject([{ id: sessionId, permissions: "deny" }]);
});

/** Has no mode for planning, and one model beside its own. */
async function picky({ plan, model }: ConnectRequest): Promise<void> {
  if (plan) throw new HalyardError("unsupported", "it has no mode in which it only plans");
  if (model?.id !== undefined && model.id !== "m-1")
    throw new HalyardError("invalid_input", `it has no model ${model.id}`);
}

const noPlan = { code: -32602, message: expect.stringContaining("only plans") };

test("a change that the runtime refuses changes nothing, and the session goes on as it was", async () => {
  const { client, sessionId, choose, chooseModel, halyard, cwd } = await openRigid(picky);
  const noModel = { code: -32602, message: expect.stringContaining("no model m-2") };
  const asItWas = { id: sessionId, state: "idle", plan: false, permissions: "ask" };
  const onRecord = async () =>
    (await halyard.sessions()).map(({ id, state, plan, permissions, model }) => ({
      id,
      state,
      plan,
      permissions,
      model,
    }));
  await expect(choose("plan")).rejects.toMatchObject(noPlan); // before anything was said
  await expect(chooseModel("m-2")).rejects.toMatchObject(noModel);
  expect(await onRecord()).toEqual([asItWas]);
  await client.prompt(sessionId, "say one");
  await expect(choose("plan")).rejects.toMatchObject(noPlan);
  expect(await onRecord()).toEqual([asItWas]);
  await client.prompt(sessionId, "say two");
  await expect(chooseModel("m-2")).rejects.toMatchObject(noModel);
  expect(await onRecord()).toEqual([asItWas]);
  await chooseModel("m-1");
  await expect(chooseModel("m-2")).rejects.toMatchObject(noModel);
  expect(await onRecord()).toEqual([{ ...asItWas, model: { id: "m-1" } }]);
  await client.prompt(sessionId, "flag model; recall");
  expect(client.heard("agent_message_chunk")).toBe("onetwom-1say one");
  await choose("allow-all");
  await client.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
});

test("what the runtime refuses and is on record all the same can be chosen otherwise", async () => {
  const { client, sessionId, choose, halyard } = await openRigid(picky);
  await client.prompt(sessionId, "say one");
  const [session] = await halyard.sessions();
  if (session === undefined) throw new Error("there is no session");
  await halyard.stop(session.id);
  await halyard.update(session.id, { plan: true });
  await expect(client.prompt(sessionId, "say two")).rejects.toMatchObject(noPlan);
  await choose("ask");
  expect(await halyard.sessions()).toMatchObject([{ plan: false, permissions: "ask" }]);
  await client.prompt(sessionId, "recall");
  expect(client.heard("agent_message_chunk")).toBe("onesay one");
});

test("a prompt waits for the change before it, and is cancelled at once all the same", async () => {
  let resume = () => {};
  let resuming = Promise.resolve();
  const { client, sessionId, choose, halyard } = await openRigid(() => resuming);
  await client.prompt(sessionId, "say one");
  const [changed, answer] = await Promise.all([
    choose("allow-all"),
    client.prompt(sessionId, "tool write a.txt x; recall"),
  ]);
  expect([changed, answer]).toMatchObject([{}, { stopReason: "end_turn" }]);
  expect(client.asked).toEqual([]);
  expect(client.heard("agent_message_chunk")).toBe("onesay one");
  resuming = new Promise((resolve) => {
    resume = resolve;
  });
  const changing = choose("deny");
  const prompting = client.prompt(sessionId, "wait");
  await client.agent.notify("session/cancel", { sessionId });
  expect(await prompting).toEqual({ stopReason: "cancelled" });
  resume();
  await changing;
  expect(await client.prompt(sessionId, "say on")).toMatchObject({ stopReason: "end_turn" });
  expect(await halyard.sessions()).toMatchObject([{ permissions: "deny", turns: 3 }]);
});
