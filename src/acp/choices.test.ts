import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FirstClient } from "../../test/acp-client/first-client.ts";
import { openFirst, openScene, serve } from "../../test/acp-client/scene.ts";
import type { Adapter, ConnectRequest } from "../contracts/adapter.ts";
import { HalyardError } from "../errors/error.ts";
import { SessionId } from "../schema/id.ts";
import { eventually } from "../testing/eventually.ts";
import { fakeAdapter } from "../testing/fake/index.ts";

test("sets a policy or plan mode, reports it to the client and applies it", async () => {
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
  const modeUpdates = () => client.of("current_mode_update").map((update) => update.currentModeId);
  await eventually(() => expect(modeUpdates()).toEqual(["allow-all", "plan", "ask"]));
  await expect(
    client.agent.request("session/set_mode", { sessionId, modeId: "yolo" }),
  ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("does not exist") });
});

test("rejects modes and sessions that are looser than the client's policy limit", async () => {
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
  const load = { sessionId: loose.id, cwd, mcpServers: [] };
  for (const method of ["session/load", "session/resume"] as const)
    await expect(client.agent.request(method, load)).rejects.toMatchObject(refused);
  await expect(
    client.agent.request("session/delete", { sessionId: loose.id }),
  ).rejects.toMatchObject(refused);
  const { sessions } = await client.agent.request("session/list", {});
  expect(sessions.map(({ sessionId: id }) => id)).toEqual([sessionId]);

  const id = SessionId.parse(sessionId);
  await halyard.update(id, { permissions: "allow-all" });
  await expect(client.prompt(sessionId, "tool write a.txt x")).rejects.toMatchObject(refused);
});

test("rejects a looser policy for a session that a limited client did not start", async () => {
  const { client, cwd, halyard } = await openFirst({}, { limit: "allow-edits" });
  const { id: sessionId } = await halyard.start({ runtime: "fake", cwd, permissions: "ask" });
  await client.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  const set = (modeId: string) => client.agent.request("session/set_mode", { sessionId, modeId });
  const refused = { code: -32602, data: { code: "forbidden" } };
  await expect(set("allow-edits")).rejects.toMatchObject(refused);
  await set("deny");
  await set("ask"); // restores the policy that the session had when it was loaded
  await expect(set("allow-edits")).rejects.toMatchObject(refused);
  expect(await halyard.find(sessionId)).toMatchObject({ permissions: "ask" });
});

test("lets a limited client delete only sessions that it started", async () => {
  const { client, cwd, halyard } = await openFirst({}, { limit: "ask" });
  const drop = (sessionId: string) => client.agent.request("session/delete", { sessionId });
  for (const permissions of ["ask", "deny"] as const) {
    const { id: sessionId } = await halyard.start({ runtime: "fake", cwd, permissions });
    const message = expect.stringContaining(`halyard rm ${sessionId}`);
    const refused = { code: -32602, message, data: { code: "forbidden" } };
    await expect(drop(sessionId)).rejects.toMatchObject(refused);
    // The client does not become the owner of the session, and the conversation continues after the rejection.
    await client.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
    await client.agent.request("session/set_mode", { sessionId, modeId: "deny" });
    await expect(drop(sessionId)).rejects.toMatchObject(refused);
    await client.prompt(sessionId, "say still here");
    expect(client.receivedText("agent_message_chunk")).toContain("still here");
    expect(await halyard.find(sessionId)).toMatchObject({ state: "idle" });
  }
  const own = await client.newSession(cwd);
  await drop(own);
  expect(await halyard.find(own)).toBeUndefined();
});

test("sets a reasoning level and a model that is not listed, and rejects unknown levels and options", async () => {
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
  const toChanges = await choose("model", "m-7");
  expect(toChanges.configOptions.find(({ id }) => id === "model")).toMatchObject({
    currentValue: "m-7",
  });
  await choose("thought_level", "high");
  await client.prompt(sessionId, "flag model; flag reasoning");
  expect(client.receivedText("agent_message_chunk")).toBe("m-7high");
  await expect(choose("thought_level", "extreme")).rejects.toMatchObject({ code: -32602 });
  await expect(choose("colour", "blue")).rejects.toMatchObject({ code: -32602 });
});

/**
 * Creates a session of a runtime that cannot change settings while it runs. `ready` rejects if the runtime does not
 * accept the settings of a new connection.
 */
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
      handshake.catch(() => {}); // the caller that awaits the promise receives the error
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

test("restarts a runtime that cannot change settings while it runs, and keeps its conversation", async () => {
  const { client, sessionId, choose, halyard } = await openRigid();
  await choose("allow-edits"); // set before the first prompt
  await client.prompt(sessionId, "tool write a.txt x");
  expect(client.asked).toEqual([]);
  await choose("deny");
  await client.prompt(sessionId, "tool write b.txt x; recall");
  expect(client.of("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
  expect(client.receivedText("agent_message_chunk")).toBe("tool write a.txt x");
  const waiting = client.prompt(sessionId, "wait");
  await expect(choose("ask")).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining("Wait for the turn to end"),
  });
  await client.agent.notify("session/cancel", { sessionId });
  await waiting;
  expect(await halyard.sessions()).toMatchObject([{ id: sessionId, permissions: "deny" }]);
});

/** A `ready` function that rejects plan mode and all models except m-1. */
async function picky({ plan, model }: ConnectRequest): Promise<void> {
  if (plan) throw new HalyardError("unsupported", "it has no mode in which it only plans");
  if (model?.id !== undefined && model.id !== "m-1")
    throw new HalyardError("invalid_input", `it has no model ${model.id}`);
}

const noPlan = { code: -32602, message: expect.stringContaining("only plans") };

test("does not change the session if the runtime rejects a change", async () => {
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
  await expect(choose("plan")).rejects.toMatchObject(noPlan); // set before the first prompt
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
  expect(client.receivedText("agent_message_chunk")).toBe("onetwom-1say one");
  await choose("allow-all");
  await client.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
});

test("accepts another mode after the runtime has rejected the recorded mode", async () => {
  const { client, sessionId, choose, halyard } = await openRigid(picky);
  await client.prompt(sessionId, "say one");
  const [session] = await halyard.sessions();
  if (session === undefined) throw new Error("no session");
  await halyard.stop(session.id);
  await halyard.update(session.id, { plan: true });
  await expect(client.prompt(sessionId, "say two")).rejects.toMatchObject(noPlan);
  await choose("ask");
  expect(await halyard.sessions()).toMatchObject([{ plan: false, permissions: "ask" }]);
  await client.prompt(sessionId, "recall");
  expect(client.receivedText("agent_message_chunk")).toBe("onesay one");
});

test("delays a prompt until the preceding change is done, and cancels a delayed prompt immediately", async () => {
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
  expect(client.receivedText("agent_message_chunk")).toBe("onesay one");
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
