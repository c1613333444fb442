import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { enter, openServer, recordDroid, shell } from "../../../test/compat/oubliette.ts";
import { startFactory } from "../../../test/real/factory-service.ts";
import { until } from "../../testing/compat-suite/compat-stage.ts";
import { newRuntime } from "./index.ts";

/** The arguments with which the seeds start every Droid process. */
const stream = "exec --input-format stream-jsonrpc --output-format stream-jsonrpc";

test("droid runs over JSON-RPC without permission requests, and is interrupted before its process ends", async () => {
  const server = await openServer("droid");
  const { home, model, open, workingDir } = server;
  const launches = await recordDroid(server);
  model.on("wait", { toolCalls: [shell.droid("touch running; sleep 300")] });
  model.on("recall", { text: "You asked me to wait." });
  const runtime = open();
  await runtime.initialize({ workingDir, model: "fast" });
  const executor = await runtime.executeStreaming({ prompt: "wait for it" });
  await until(executor.events, ({ type }) => type === "tool_call");
  await expect.poll(() => readdir(workingDir)).toContain("running");
  const { sessionID, runtimeSessionID } = executor;
  await executor.close();
  const state = join(home, "sessions", sessionID);
  const files = await readdir(state, { recursive: true });
  const record = files.find((file) => file.endsWith(`${runtimeSessionID}.jsonl`)) ?? "";
  expect(await readFile(join(state, record), "utf8")).toContain("cancelled by user");

  const plan = { prompt: "recall", runtimeSessionID, useSpec: true };
  expect(await runtime.execute(plan)).toMatchObject({ sessionID, runtimeSessionID });
  const observed = model.requests.at(-1)?.messages.map(({ text }) => text);
  expect(observed).toContainEqual(expect.stringContaining("wait for it"));
  expect(await launches()).toEqual([
    `key= ${stream} --cwd ${workingDir} --skip-permissions-unsafe`,
    `key= ${stream} --cwd ${workingDir} --use-spec`,
  ]);
});

test("droid receives the key in factory.json as FACTORY_API_KEY, and resumes with -s [s0.droid.continue-flag] [s0.droid.continuation] [s0.droid.factory-key]", async () => {
  const server = await openServer("droid");
  const { root, home, env, model, workingDir } = server;
  const launches = await recordDroid(server);
  model.on("remember", { text: "I will." });
  model.on("recall", { text: "You asked me to remember." });
  await writeFile(join(root, "config", "factory.json"), JSON.stringify({ api_key: "fk-1" }));
  await rm(join(root, "config", "models.json"));
  const { id, baseUrl, apiKey } = model.endpoint("openai-chat");
  const provider = "generic-chat-completion-api";
  const own = { model: id, displayName: id, baseUrl, provider, apiKey };
  await mkdir(join(root, ".factory"));
  await writeFile(join(root, ".factory", "settings.json"), JSON.stringify({ customModels: [own] }));
  await using factory = await startFactory();
  enter(root);
  const create = { home, env: { ...env, FACTORY_API_BASE_URL: factory.url } };
  await using runtime = newRuntime(undefined, { create });
  await runtime.initialize({ workingDir, model: `custom:${id}` });
  const { runtimeSessionID } = await runtime.execute({ prompt: "remember me" });
  const again = await runtime.execute({ prompt: "recall", runtimeSessionID });
  expect(again).toMatchObject({ runtimeSessionID, result: "You asked me to remember." });
  const flags = `${stream} --cwd ${workingDir} --skip-permissions-unsafe`;
  expect(await launches()).toEqual([
    `key=fk-1 ${flags}`,
    `key=fk-1 ${flags} -s ${runtimeSessionID}`,
  ]);
});

test("droid is healthy after initialize, even if a session's process has exited [s0.health.droid] [s0.runtime.missing-credentials] [s0.factory.droid]", async () => {
  const { model, open, pids, workingDir } = await openServer("droid");
  model.on("greet", { text: "Hello." });
  const runtime = open();
  await expect(runtime.initialize({ workingDir })).rejects.toMatchObject({
    code: "not_signed_in",
    message: expect.stringMatching(/^droid has no credentials/),
  });
  await runtime.initialize({ model: "fast" });
  await runtime.ping();
  const executor = await runtime.executeStreaming({ prompt: "greet me" });
  await executor.done;
  const [pid = Number.NaN] = await pids();
  process.kill(pid, "SIGKILL");
  await expect.poll(() => executor.isClosed).toBe(true);
  await runtime.ping();
  await expect(executor.sendMessage("greet me")).rejects.toMatchObject({ code: "session_stopped" });
});
