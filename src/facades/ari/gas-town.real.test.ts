import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import { claudeAdapter } from "../../adapters/claude/index.ts";
import { claudeToolCalls } from "../../adapters/claude/tool-calls.ts";
import { codexAdapter } from "../../adapters/codex/index.ts";
import { codexToolCalls } from "../../adapters/codex/tool-calls.ts";
import { createHalyard } from "../../create-halyard.ts";
import { SessionId } from "../../schema/id.ts";
import { startScriptedModel } from "../../testing/scripted-model.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { createAgentRuntime, type SessionHandle } from "./index.ts";

/** A home with a `gt` that writes down how it is called, and the two runtimes of the town. */
async function open() {
  const home = await temporaryDirectory();
  const cwd = join(home, "work");
  await mkdir(cwd);
  await mkdir(join(home, "bin"));
  const gt = join(home, "bin", "gt");
  await writeFile(gt, `#!/bin/sh\necho "$GT_ROLE: gt $*" >> ${join(home, "called")}\n`);
  await chmod(gt, 0o755);
  const model = await startScriptedModel();
  const { apiKey } = model.endpoint("anthropic");
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    ANTHROPIC_API_KEY: apiKey,
    ANTHROPIC_BASE_URL: model.baseUrl("anthropic"),
  };
  const adapters = [claudeAdapter({ env, runtimesDir }), codexAdapter({ env, runtimesDir })];
  const halyard = await createHalyard({ home: join(home, "halyard"), env, adapters });
  onTestFinished(async () => {
    await halyard[Symbol.asyncDispose]();
    await model.close();
  });
  const ended = async ({ sessionID }: SessionHandle) => {
    const sessionId = SessionId.parse(sessionID);
    for await (const { type } of halyard.events({ sessionId })) if (type === "completion") break;
    return halyard.find(sessionId);
  };
  return { home, cwd, gt, model, halyard, ended, runtime: createAgentRuntime({ halyard }) };
}

const town = { GT_RIG: "greenplace", GT_ROLE: "polecat", GT_POLECAT: "ivy" };

test("Codex is launched with a prompt that has it run gt prime [s1.codex.bootstrap]", async () => {
  const { home, cwd, gt, model, runtime, ended } = await open();
  // By its path, for the shell that Codex starts reads the user's profile and makes a PATH of its own.
  model.on("gt prime", { toolCalls: [codexToolCalls.shell(`${gt} prime`)] }, { text: "I am ivy." });
  const handle = await runtime.start({
    runtimeName: "codex",
    workDir: cwd,
    env: town,
    initialPrompt: "Then look at your hook.",
    permissions: "allow-all",
    model: model.endpoint("openai-responses"),
  });
  await ended(handle);
  expect(await readFile(join(home, "called"), "utf8")).toBe("polecat: gt prime\n");
  const told = model.requests[0]?.messages.map(({ text }) => text);
  expect(told).toContainEqual(expect.stringMatching(/`gt prime`[\s\S]*Then look at your hook\.$/));
});

test("Claude Code knows its session by Gas Town's name and by its own [s1.claude.session-id] [s1.env.native-names]", async () => {
  const { cwd, model, runtime, ended } = await open();
  const command = "echo $GT_SESSION_ID $CLAUDE_SESSION_ID $GT_SESSION_ID_ENV > names.txt";
  model.on("who", { toolCalls: [claudeToolCalls.shell(command)] }, { text: "Now I know." });
  const handle = await runtime.start({
    runtimeName: "claude",
    workDir: cwd,
    env: town,
    initialPrompt: "who are you?",
    permissions: "allow-all",
    model: model.endpoint("anthropic"),
  });
  const info = await ended(handle);
  expect(await readFile(join(cwd, "names.txt"), "utf8")).toBe(
    `${handle.sessionID} ${info?.runtimeSessionId} CLAUDE_SESSION_ID\n`,
  );
});

test("Claude Code keeps its sessions with the account it was given", async () => {
  const { home, cwd, model, runtime, ended } = await open();
  model.on("greet", { text: "Hello." });
  const accountDir = join(home, "accounts", "ivy");
  const initialPrompt = "greet me";
  const handle = await runtime.start({
    runtimeName: "claude",
    workDir: cwd,
    accountDir,
    initialPrompt,
  });
  const info = await ended(handle);
  const files = await readdir(accountDir, { recursive: true });
  expect(files).toContainEqual(expect.stringContaining(`${info?.runtimeSessionId}.jsonl`));
});
