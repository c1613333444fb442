import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openScene } from "../../test/real/scene.ts";
import { openStage } from "../../test/screens/stage.ts";
import { repositoryOf } from "../../test/workspace/file-tree.ts";
import { newRepository } from "../../test/workspace/repository.ts";
import { claudeToolCalls } from "../adapters/claude/events/tool-calls.ts";
import { claudeAdapter } from "../adapters/claude/index.ts";
import { codexToolCalls } from "../adapters/codex/events/tool-calls.ts";
import { codexAdapter } from "../adapters/codex/index.ts";
import { droidToolCalls } from "../adapters/droid/events/tool-calls.ts";
import { droidAdapter } from "../adapters/droid/index.ts";
import { opencodeAdapter } from "../adapters/opencode/index.ts";
import { piToolCalls } from "../adapters/pi/events/tool-calls.ts";
import { piAdapter } from "../adapters/pi/index.ts";
import type { Halyard } from "../contracts/halyard.ts";
import type { ModelApi } from "../schema/model.ts";
import type { ScriptedModel } from "../testing/scripted-model.ts";

interface ToolCall {
  readonly name: string;
  readonly input: Record<string, unknown>;
}

interface Runtime {
  readonly api: ModelApi;
  write(path: string, content: string): ToolCall;
  shell(command: string): ToolCall;
}

const runtimes: Readonly<Record<string, Runtime>> = {
  claude: { api: "anthropic", ...claudeToolCalls },
  codex: { api: "openai-responses", ...codexToolCalls },
  opencode: {
    api: "openai-chat",

    write: (filePath, content) => ({ name: "write", input: { filePath, content } }),
    shell: (command) => ({ name: "bash", input: { command, description: "a command" } }),
  },
  droid: { api: "openai-chat", ...droidToolCalls },
  pi: { api: "openai-chat", ...piToolCalls },
};

test("shows and rewinds edits by a tool and by the shell in turns of Claude Code, Codex, OpenCode, Droid and Pi", async () => {
  const { halyard, model } = await openScene((paths) => [
    claudeAdapter(paths),
    codexAdapter(paths),
    opencodeAdapter(paths),
    droidAdapter(paths),
    piAdapter({ ...paths, mode: "rpc" }),
  ]);
  await Promise.all(
    Object.entries(runtimes).map(([name, runtime]) => editAndRewind(name, runtime, halyard, model)),
  );
});

async function editAndRewind(
  name: string,
  { api, write, shell }: Runtime,
  halyard: Halyard,
  model: ScriptedModel,
): Promise<void> {
  const { root, git, write: edit } = await newRepository({ "old.txt": "old\n" });
  await edit("old.txt", "stashed\n");
  await git("stash", "--quiet");
  await git("branch", "other");
  await git("worktree", "add", "--quiet", "../tree", "other");
  await edit("staged.txt", "staged\n");
  await git("add", "staged.txt");
  const repository = repositoryOf(root);
  /** True for git's own files. Droid and OpenCode add their own files to the top of the git directory. */
  const isOfGit = ([path]: [string, string]) => path.includes("/") || path in repository;
  const done = { text: "Done." };
  model.on(
    `Task one of ${name}.`,
    { toolCalls: [write(join(root, "tool.txt"), "by the tool\n")] },
    { toolCalls: [shell("echo by the shell > shell.txt; chmod +x shell.txt; rm old.txt")] },
    done,
  );
  const second = shell("echo more >> tool.txt; rm shell.txt");
  model.on(`Task two of ${name}.`, { toolCalls: [second] }, done);
  const session = await halyard.start({
    runtime: name,
    cwd: root,
    permissions: "allow-all",
    model: model.endpoint(api),
    env: { GIT_OPTIONAL_LOCKS: "0" }, // so that the agent's own `git status` does not refresh the index
  });
  const first = await session.send(`Task one of ${name}.`).outcome;
  expect([name, first.status]).toEqual([name, "completed"]);
  const changes = await halyard.changes(session.id, { turnId: "1" });
  expect([name, changes.files.map(({ path, status }) => `${status} ${path}`)]).toEqual([
    name,
    ["deleted old.txt", "added shell.txt", "added tool.txt"],
  ]);
  const outcome = await session.send(`Task two of ${name}.`).outcome;
  expect([name, outcome.status]).toEqual([name, "completed"]);
  expect(await readFile(join(root, "tool.txt"), "utf8")).toBe("by the tool\nmore\n");
  await halyard.rewind(session.id, { to: "1" });
  const read = (file: string) => readFile(join(root, file), "utf8").catch(() => undefined);
  const files = async () => Promise.all(["old.txt", "tool.txt", "shell.txt"].map(read));
  expect(await files()).toEqual([undefined, "by the tool\n", "by the shell\n"]);
  expect((await stat(join(root, "shell.txt"))).mode & 0o100).toBe(0o100);
  await halyard.rewind(session.id, { to: "start" });
  expect(await files()).toEqual(["old\n", undefined, undefined]);
  const after = Object.fromEntries(Object.entries(repositoryOf(root)).filter(isOfGit));
  expect([name, after]).toEqual([name, repository]);
  expect(await git("status", "--porcelain")).toBe("A  staged.txt");
  await session.stop();
}

test("shows and rewinds the changes of a Claude Code turn on a tmux screen", async () => {
  const { cwd, model, request, tools, open } = await openStage("claude");
  const file = join(cwd, "file");
  model.on("work", { toolCalls: [tools.write(file, "one\n")] }, { text: "Done." });
  const halyard = await open();
  const session = await halyard.start({ ...request, permissions: "allow-all" });
  expect(await session.send("work").outcome).toMatchObject({ status: "completed" });
  const { files } = await halyard.changes(session.id, { turnId: "1" });
  expect(files).toMatchObject([{ path: "file", status: "added", insertions: 1 }]);
  await halyard.rewind(session.id, { to: "start" });
  await expect(readFile(file)).rejects.toThrow("ENOENT");
  await session.stop();
});
