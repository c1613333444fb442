import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTown } from "../../../test/compat/gas-town.ts";
import { claudeToolCalls } from "../../adapters/claude/events/tool-calls.ts";
import { codexToolCalls } from "../../adapters/codex/events/tool-calls.ts";

const town = { GT_RIG: "greenplace", GT_ROLE: "polecat", GT_POLECAT: "ivy" };
const minimal = { mode: "minimal", env: town } as const;

const written = (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");

test("Codex is launched with a prompt that has it run gt prime [s1.codex.bootstrap]", async () => {
  const { home, gt, model, runtime, worktree } = await openTown();
  // By its path, for the shell that Codex starts reads the user's profile and makes a PATH of its own.
  model.on("gt prime", { toolCalls: [codexToolCalls.shell(`${gt} prime`)] }, { text: "I am ivy." });
  const workDir = await worktree("ivy");
  const initialPrompt = "Then look at your hook.";
  await runtime.start({ ...minimal, runtimeName: "codex", workDir, initialPrompt });
  await expect
    .poll(() => written(join(home, "called")), { timeout: 60_000 })
    .toBe("polecat: gt prime\n");
  const told = model.requests[0]?.messages.map(({ text }) => text);
  expect(told).toContainEqual(expect.stringMatching(/`gt prime`[\s\S]*Then look at your hook\.$/));
});

test("Claude Code knows its session by Gas Town's name and by its own [s1.claude.session-id] [s1.env.native-names]", async () => {
  const { model, runtime, worktree } = await openTown();
  const command = "echo $GT_SESSION_ID $CLAUDE_SESSION_ID $GT_SESSION_ID_ENV > names.txt";
  model.on("who", { toolCalls: [claudeToolCalls.shell(command)] }, { text: "Now I know." });
  const workDir = await worktree("ivy");
  const env = { ...town, GT_SESSION_ID: "gt-abc123" };
  await runtime.start({ ...minimal, env, runtimeName: "claude", workDir, initialPrompt: "who?" });
  const uuid = /^gt-abc123 [0-9a-f]{8}-[0-9a-f-]{27} CLAUDE_SESSION_ID\n$/;
  await expect.poll(() => written(join(workDir, "names.txt")), { timeout: 60_000 }).toMatch(uuid);
});

test("Claude Code keeps its sessions with the account it was given", async () => {
  const { home, model, runtime, worktree } = await openTown();
  model.on("greet", { text: "Hello." });
  const accountDir = join(home, "accounts", "ivy");
  const options = { ...minimal, runtimeName: "claude", initialPrompt: "greet me" };
  await runtime.start({ ...options, workDir: await worktree("ivy"), accountDir });
  const files = () => readdir(accountDir, { recursive: true }).catch((): string[] => []);
  await expect.poll(files, { timeout: 60_000 }).toContainEqual(expect.stringMatching(/\.jsonl$/));
});
