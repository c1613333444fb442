import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { runtimesDir } from "../../test/real/runtimes-dir.ts";
import type { Adapter } from "../contracts/adapter.ts";
import { createHalyard } from "../create-halyard.ts";
import { startScriptedModel } from "../testing/scripted-model.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { claudeToolCalls } from "./claude/events/tool-calls.ts";
import { claudeAdapter } from "./claude/index.ts";
import { droidToolCalls } from "./droid/events/tool-calls.ts";
import { droidAdapter } from "./droid/index.ts";

interface Program {
  readonly adapter: Adapter;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The program's name for the model. */
  readonly model: string;
}

/** Creates a home with an empty project, and starts a scripted model. */
async function setUp() {
  const home = await temporaryDirectory();
  const cwd = join(home, "work");
  await mkdir(cwd);
  const model = await startScriptedModel();
  onTestFinished(() => model.close());

  /**
   * Runs a task. Returns the text of its answer, the contents of these files, and the requests that the model received.
   * Deletes the files.
   */
  const watch = async (files: readonly string[], run: () => Promise<string>) => {
    const from = model.requests.length;
    const text = await run();
    const made = await Promise.all(files.map((name) => readFile(join(cwd, name), "utf8")));
    for (const name of files) await rm(join(cwd, name));
    return { text, made, requests: model.requests.slice(from) };
  };

  /** Runs the same task with the program alone and in a session. */
  const compare = async (files: readonly string[], program: Program) => {
    const { adapter, args, env, model: id } = program;
    const availability = await adapter.probe();
    const file = availability.available ? (availability.program ?? "") : "";
    const alone = await watch(files, async () => {
      const ran = promisify(execFile)(file, [...args], { cwd, env: { ...env } });
      ran.child.stdin?.end();
      return (await ran).stdout.trim();
    });
    const under = await watch(files, async () => {
      const adapters = [adapter];
      await using halyard = await createHalyard({ home: join(home, "halyard"), env, adapters });
      const request = { cwd, permissions: "allow-all", trust: true, model: { id } } as const;
      const session = await halyard.start({ ...request, runtime: adapter.name });
      return (await session.send("work").outcome).text;
    });
    return { alone, under };
  };
  return { home, cwd, model, compare };
}

test("Claude Code sends the same model requests with and without Halyard, and reads the same project files [s1.goals.claude-preserved]", async () => {
  const { home, cwd, model, compare } = await setUp();
  await writeFile(join(cwd, "CLAUDE.md"), "Talk like a SAILOR.");
  await mkdir(join(cwd, ".claude"));
  const command = "echo hooked >> hooked";
  const hooks = { PostToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] };
  await writeFile(join(cwd, ".claude", "settings.json"), JSON.stringify({ hooks }));
  const toolCalls = [claudeToolCalls.shell("echo done > made")];
  model.on("work", { toolCalls }, { text: "Done." });
  const { id, baseUrl, apiKey } = model.endpoint("anthropic");
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    ANTHROPIC_BASE_URL: baseUrl,
    ANTHROPIC_API_KEY: apiKey,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    IS_SANDBOX: "1", // allows root to run without permission requests
  };
  const { alone, under } = await compare(["made", "hooked"], {
    adapter: claudeAdapter({ env, runtimesDir }),
    args: ["-p", "--dangerously-skip-permissions", "--model", id, "work"],
    env,
    model: id,
  });
  expect(alone).toMatchObject({ text: "Done.", made: ["done\n", "hooked\n"] });
  expect(JSON.stringify(alone.requests)).toContain("SAILOR");
  // Excluded, because Claude Code offers this tool only if a user can answer, which is the case in a session.
  const isOurs = (tool: string) => tool === "AskUserQuestion";
  const requests = under.requests.map((one) => ({
    ...one,
    tools: one.tools.filter((tool) => !isOurs(tool)),
  }));
  expect({ ...under, requests }).toEqual(alone);
});

test("Droid has all of its own tools and reads the same project files with Halyard [s2.constraint.droid-intact]", async () => {
  const { home, cwd, model, compare } = await setUp();
  await writeFile(join(cwd, "AGENTS.md"), "Talk like a SAILOR.");
  const { id, baseUrl, apiKey } = model.endpoint("openai-chat");
  const provider = "generic-chat-completion-api";
  const own = { model: id, displayName: id, baseUrl, provider, apiKey };
  await mkdir(join(home, ".factory"));
  const settings = { customModels: [own], cloudSessionSync: false };
  await writeFile(join(home, ".factory", "settings.json"), JSON.stringify(settings));
  const toolCalls = [droidToolCalls.shell("echo done > made")];
  model.on("work", { toolCalls }, { text: "Done." });
  const nowhere = "http://127.0.0.1:9";
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    FACTORY_API_BASE_URL: nowhere,
    FACTORY_TELEMETRY_INGEST_BASE_URL: nowhere,
    FACTORY_DROID_AUTO_UPDATE_ENABLED: "false",
  };
  const { alone, under } = await compare(["made"], {
    adapter: droidAdapter({ env, runtimesDir }),
    args: ["exec", "--skip-permissions-unsafe", "-m", `custom:${id}`, "work"],
    env,
    model: `custom:${id}`,
  });
  expect(alone).toMatchObject({ text: "Done.", made: ["done\n"] });
  expect(under).toMatchObject({ text: alone.text, made: alone.made });
  expect(under.requests).toHaveLength(alone.requests.length);
  for (const [index, { tools, messages }] of alone.requests.entries()) {
    const ours = under.requests[index];
    expect(ours?.tools, "includes all tools that the agent has without Halyard").toEqual(
      expect.arrayContaining([...tools]),
    );
    for (const one of [messages, ours?.messages])
      expect(JSON.stringify(one)).toContain("Talk like a SAILOR.");
  }
});
