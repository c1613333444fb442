import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import { droidToolCalls } from "../../adapters/droid/events/tool-calls.ts";
import { createHalyard } from "../../create-halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import { collect, until } from "../../testing/compat-suite/compat-stage.ts";
import type { ModelToolCall } from "../../testing/script.ts";
import { startScriptedModel } from "../../testing/scripted-model.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { loadAgentConfig, newRuntime } from "./index.ts";

const shell: Readonly<Record<string, (command: string) => ModelToolCall>> = {
  droid: droidToolCalls.shell,
  opencode: (command) => ({ name: "bash", input: { command, description: "run it" } }),
};

/** A project server with only the files of the seeds and the installed runtimes. */
async function openServer(agent_runtime: "droid" | "opencode") {
  const root = await temporaryDirectory();
  const home = join(root, ".halyard");
  const env = { PATH: process.env.PATH, HOME: root, HALYARD_HOME: home };
  const model = await startScriptedModel();
  const { id, baseUrl, apiKey } = model.endpoint("openai-chat");
  const provider = "generic-chat-completion-api";
  const models = {
    models: {
      fast: { model: id, displayName: "Fast", baseUrl, apiKey, provider },
      other: { model: "other-1", baseUrl: "http://127.0.0.1:9/v1", apiKey: "sk-other", provider },
    },
  };
  await mkdir(join(root, "config"));
  await mkdir(join(root, "work"));
  await mkdir(home);
  await symlink(runtimesDir, join(home, "runtimes"));
  const write = (name: string, value: unknown) =>
    writeFile(join(root, "config", name), JSON.stringify(value));
  await write("server.json", { agent_runtime });
  await write("models.json", models);
  const config = await loadAgentConfig({ cwd: root, env });
  const open = () => {
    const runtime = newRuntime(config, { create: { home, env } });
    onTestFinished(() => runtime.close());
    return runtime;
  };
  onTestFinished(() => model.close());
  return { home, env, model, open, workingDir: join(root, "work") };
}

describe.each(["droid", "opencode"] as const)("%s", (name) => {
  test("runs tools with only the files and parameters of the seeds, ends at completion, and resumes", async () => {
    const { home, model, open, workingDir } = await openServer(name);
    const write = shell[name]?.("echo built > made.txt") ?? { name: "", input: {} };
    model.on("build", { toolCalls: [write] }, { text: "Built." });
    model.on("recall", { text: "You asked me to build." });
    const runtime = open();
    await runtime.initialize({ workingDir, model: "fast" });
    const executor = await runtime.executeStreaming({ prompt: "build it" });
    await executor.done;
    expect(await executor.wait()).toEqual({ exitCode: 0, error: undefined });
    expect(executor.isClosed).toBe(false);
    expect(await readFile(join(workingDir, "made.txt"), "utf8")).toBe("built\n");
    const { sessionID, runtimeSessionID } = executor;
    await executor.close();
    const events = await collect(executor.events);
    const received = events.flatMap((event) => {
      if (event.type === "message") return [`${event.role}: ${event.text}`];
      if (event.type === "system") return event.subtype === "step" ? ["step"] : [];
      return event.type === "delta" ? [] : [event.type];
    });
    expect(received.filter((line) => line !== "step")).toEqual([
      "user: build it",
      "tool_call",
      "tool_result",
      "assistant: Built.",
      "completion",
    ]);
    expect(received.includes("step")).toBe(name === "opencode");
    if (name === "droid") {
      const file = join(home, "sessions", sessionID, "droid", ".factory", "settings.json");
      const settings = await readFile(file, "utf8");
      expect(JSON.parse(settings).customModels).toMatchObject([
        { model: model.endpoint("openai-chat").id },
        { model: "other-1", displayName: "other" },
      ]);
      expect(settings).not.toMatch(/sk-/);
    }
    await runtime.close();

    const later = open();
    await later.initialize({ workingDir, model: "fast" });
    const response = await later.execute({ prompt: "recall", sessionID: runtimeSessionID ?? "" });
    expect(response).toMatchObject({ sessionID, runtimeSessionID, turns: 2 });
    const observed = model.requests.at(-1)?.messages.map(({ text }) => text);
    expect(observed).toContainEqual(expect.stringContaining("build it"));
  });
});

test("droid is healthy after initialize, without a process [s0.health.droid] [s0.runtime.missing-credentials] [s0.factory.droid]", async () => {
  const { open, workingDir } = await openServer("droid");
  const runtime = open();
  await expect(runtime.initialize({ workingDir })).rejects.toMatchObject({
    code: "not_signed_in",
    message: expect.stringMatching(/^droid has no credentials/),
  });
  await runtime.initialize({ model: "other" });
  await runtime.ping();
});

test("initialize starts the server of opencode, which responds to ping and is replaced after a crash [s0.opencode.server-lifecycle] [s0.health.opencode-up] [s0.health.opencode-down]", async () => {
  const { home, env, model, open, workingDir } = await openServer("opencode");
  model.on("greet", { text: "Hello." });
  const runtime = open();
  await runtime.initialize({ workingDir, model: "fast" });
  await runtime.ping();
  await using observer = await createHalyard({ home, env });
  const servers = async () => [...new Set((await observer.processes()).map(({ pid }) => pid))];
  const [server, ...others] = await servers();
  expect(others).toEqual([]);
  expect((await runtime.execute({ prompt: "greet me" })).result).toBe("Hello.");
  expect(await servers(), "the server outlives the session").toEqual([server]);
  process.kill(server ?? Number.NaN, "SIGKILL");
  await expect
    .poll(() => runtime.ping().catch((error: unknown) => error))
    .toBeInstanceOf(HalyardError);
  expect((await runtime.execute({ prompt: "greet me" })).result).toBe("Hello.");
  await runtime.ping();
  await runtime.close();
  expect(await servers()).toEqual([]);
  await expect(runtime.ping()).rejects.toThrow("closed");
});

test("cancel aborts the turn of OpenCode, and the session continues [s3.executor.cancel]", async () => {
  const { model, open, workingDir } = await openServer("opencode");
  model.on("sing", { text: "la ".repeat(300), chunkSize: 3, chunkDelayMs: 30 });
  model.on("greet", { text: "Hello." });
  const runtime = open();
  await runtime.initialize({ workingDir, model: "fast" });
  const executor = await runtime.executeStreaming({ prompt: "sing" });
  await until(executor.events, ({ type }) => type === "delta");
  await executor.cancel();
  await executor.done;
  expect(await executor.wait()).toMatchObject({ exitCode: 130, error: { code: "cancelled" } });
  const { sessionID } = executor;
  expect((await runtime.execute({ prompt: "greet me", sessionID })).result).toBe("Hello.");
});

test("opencode uses its plan agent if the request sets useSpec [s0.opencode.plan-agent]", async () => {
  const { model, open, workingDir } = await openServer("opencode");
  model.on("greet", { text: "Hello." });
  const runtime = open();
  await runtime.initialize({ workingDir, model: "fast" });
  for (const useSpec of [true, false]) {
    await runtime.execute({ prompt: "greet me", useSpec });
    const observed = JSON.stringify(model.requests.at(-1)?.messages);
    expect(/plan mode/i.test(observed)).toBe(useSpec);
  }
});
