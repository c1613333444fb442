import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { FirstClient } from "../../test/acp-client/first-client.ts";
import { openFirst, openScene, serve } from "../../test/acp-client/scene.ts";
import type { Adapter } from "../core/adapter.ts";
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

test("a runtime that cannot change while it runs goes on anew, with all that was said", async () => {
  const fake = fakeAdapter();
  const rigid: Adapter = {
    ...fake,
    name: "rigid",
    capabilities: fake.capabilities.filter((capability) => capability !== "settings"),
    connect: async (request) =>
      Object.assign(await fake.connect(request), { configure: undefined }),
  };
  const scene = await openScene({ adapters: [rigid] });
  const startRequest = async (cwd: string) => ({ runtime: "rigid", cwd });
  const client = new FirstClient(serve(scene, { startRequest }).stream);
  const sessionId = await client.newSession(scene.cwd);
  const choose = (modeId: string) =>
    client.agent.request("session/set_mode", { sessionId, modeId });
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
  expect(await scene.halyard.sessions()).toMatchObject([{ id: sessionId, permissions: "deny" }]);
});
