import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openServer, shell } from "../../../test/compat/oubliette.ts";
import { seedPluginDirectory } from "../../../test/opencode/plugin-directory.ts";
import { openRecordedLine } from "../../../test/opencode/recorded-line.ts";
import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import { opencodeAdapter } from "../../adapters/opencode/index.ts";
import { collect, until } from "../../testing/compat-suite/compat-stage.ts";
import { newRuntime } from "./index.ts";

test("initialize starts a server that all sessions of the project share and that is replaced after a crash", async () => {
  const { root, model, open, pids, workingDir } = await openServer("opencode");
  const names = ["one-", "two-"];
  const directories = names.map((name) => join(root, name));
  for (const [at, name] of names.entries()) {
    const toolCalls = [shell.opencode(`echo ${name} > made.txt`)];
    model.on(name, { text: `First ${name}.`, toolCalls }, { text: `I am ${name}.` });
    await mkdir(directories[at] ?? "");
  }
  model.on("greet", { text: "Hello." });
  const runtime = open();
  await runtime.initialize({ workingDir, model: "fast", projectID: "garden" });
  await runtime.ping();
  const [server = Number.NaN, ...others] = await pids();
  expect(others).toEqual([]);
  const read = async (file: string) =>
    (await readFile(`/proc/${server}/${file}`, "utf8")).split("\0");
  expect(await read("cmdline")).toEqual([
    ...[expect.stringMatching(/opencode$/), "serve"],
    ...["--port", expect.stringMatching(/^\d+$/), "--hostname", "127.0.0.1", ""],
  ]);
  const name = "OPENCODE_CONFIG_CONTENT=";
  const variable = (await read("environ")).find((line) => line.startsWith(name)) ?? "";
  expect(JSON.parse(variable.slice(name.length)).permission).toMatchObject({
    edit: "allow",
    bash: { "*": "allow" },
  });

  const executors = await Promise.all(
    names.map((name, at) =>
      runtime.executeStreaming({ prompt: `you are ${name}`, workingDir: directories[at] }),
    ),
  );
  for (const [at, executor] of executors.entries()) {
    expect(await executor.wait()).toEqual({ exitCode: 0, error: undefined });
    expect(await readFile(join(directories[at] ?? "", "made.txt"), "utf8")).toBe(`${names[at]}\n`);
  }
  expect(await pids(), "one server for both workspaces").toEqual([server]);
  const neighbor = open();
  await neighbor.initialize({ workingDir, model: "fast", projectID: "kitchen" });
  expect(await pids(), "another project has another server").toHaveLength(2);
  await neighbor.close();

  process.kill(server, "SIGKILL");
  await expect.poll(() => runtime.ping().catch(({ code }) => code)).toBe("agent_exited");
  expect((await runtime.execute({ prompt: "greet me" })).result).toBe("Hello.");
  await runtime.ping();
  await runtime.close();
  expect(await pids()).toEqual([]);
  await expect(runtime.ping()).rejects.toThrow("closed");
  for (const [at, executor] of executors.entries()) {
    const received = JSON.stringify(await collect(executor.events));
    expect(names.map((name) => received.includes(name))).toEqual(names.map((_, i) => i === at));
  }
});

test("calls OpenCode's routes with each message's agent and reasoning level", async () => {
  const { home, env, config, model, workingDir } = await openServer("opencode");
  model.on("sing", { text: "la ".repeat(300), chunkSize: 3, chunkDelayMs: 30 });
  model.on("greet", { text: "Hello." });
  await using line = await openRecordedLine();
  const adapter = opencodeAdapter({ env, runtimesDir, reach: (url) => line.to(url) });
  await using runtime = newRuntime(config, { create: { home, env, adapters: [adapter] } });
  const routes = () => line.requests.map(({ route }) => route);
  const bodies = (route: string): unknown[] =>
    line.requests.flatMap((sent) => (sent.route === route ? [JSON.parse(sent.body)] : []));
  await runtime.initialize({ workingDir, model: "fast", reasoning: "high" });
  expect(routes().slice(0, 3)).toEqual([
    "GET /global/health",
    "GET /global/event",
    "POST /session",
  ]);
  const executor = await runtime.executeStreaming({ prompt: "greet me" });
  await executor.done;
  await executor.sendMessage("sing");
  await until(executor.events, ({ type }) => type === "delta");
  const { runtimeSessionID: id, sessionID } = executor;
  expect(routes()).not.toContain(`POST /session/${id}/abort`);
  await executor.cancel();
  await executor.done;
  expect(await executor.wait()).toMatchObject({ exitCode: 130, error: { code: "cancelled" } });
  expect(routes()).toContain(`POST /session/${id}/abort`);
  const chosen = { model: { providerID: "halyard", modelID: "scripted" }, variant: "high" };
  expect(bodies(`POST /session/${id}/prompt_async`)).toMatchObject([
    { ...chosen, agent: "build", parts: [{ text: "greet me" }] },
    { ...chosen, agent: "build", parts: [{ text: "sing" }] },
  ]);

  const known = { prompt: "greet me", runtimeSessionID: id };
  expect(routes()).not.toContain(`GET /session/${id}`);
  for (const request of [
    { ...known, reasoning: "low" as const },
    { ...known, useSpec: true },
  ])
    expect(await runtime.execute(request)).toMatchObject({ sessionID, result: "Hello." });
  expect(routes()).toContain(`GET /session/${id}`);
  expect(bodies(`POST /session/${id}/message`)).toMatchObject([
    { agent: "build", variant: "low" },
    { agent: "plan", variant: "high" },
  ]);
});

test("uses the user's own OpenCode configuration if the server sets no model [s2.d6.opencode-own-config] [s2.d6.no-shared-models]", async () => {
  const { root, model, open, workingDir } = await openServer("opencode");
  model.on("greet", { text: "Hello." });
  const { baseUrl: baseURL, apiKey } = model.endpoint("openai-chat");
  const options = { baseURL, apiKey };
  const provider = {
    npm: "@ai-sdk/openai-compatible",
    options,
    models: { mine: { name: "Mine" } },
  };
  const directory = join(root, ".config", "opencode");
  await seedPluginDirectory(directory);
  const $schema = "https://opencode.ai/config.json"; // OpenCode adds it if it is missing
  const settings = JSON.stringify({ $schema, provider: { own: provider } });
  await writeFile(join(directory, "opencode.json"), settings);
  const runtime = open();
  await runtime.initialize({ workingDir });
  expect((await runtime.execute({ prompt: "greet me" })).result).toBe("Hello.");
  expect(model.requests.at(-1)?.model).toBe("mine");
  expect(await readFile(join(directory, "opencode.json"), "utf8")).toBe(settings);
});
