import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openTown } from "../../../test/compat/gas-town.ts";
import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import { claudeToolCalls } from "../../adapters/claude/events/tool-calls.ts";
import { codexToolCalls } from "../../adapters/codex/events/tool-calls.ts";
import { HookPayload } from "../../schema/hook.ts";
import { createAgentRuntime } from "./index.ts";

const tools = { claude: claudeToolCalls, codex: codexToolCalls };

const written = async (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");

describe.each(["claude", "codex"] as const)("%s with the registry of the seed", (runtimeName) => {
  test.each([
    ["minimal", { claude: "stdin", codex: "stdin" }],
    ["tmux", { claude: "tmux", codex: "rpc" }],
  ] as const)(
    "works in mode %s with only the parameters of the seed, without a person",
    async (mode, ways) => {
      const { hooks, model, runtime, worktree } = await openTown();
      const workDir = await worktree("ivy");
      const shell = tools[runtimeName].shell(`printenv GT_SESSION_ID > ${join(workDir, "id.txt")}`);
      model.on("work on gp-123", { toolCalls: [shell] }, { text: "Done." });
      model.on("greet me", { text: "Hello, rig." });
      const handle = await runtime.start({
        workDir,
        runtimeName,
        mode,
        env: { GT_SESSION_ID: "gt-abc123", GT_ROLE: "polecat", GT_RIG: "greenplace" },
        initialPrompt: "work on gp-123",
      });
      expect(handle).toMatchObject({ runtime: runtimeName, sessionID: "gt-abc123", workDir });
      await expect
        .poll(() => written(join(workDir, "id.txt")), { timeout: 60_000 })
        .toBe("gt-abc123\n");
      expect(await runtime.isReady(handle)).toBe(true);
      const receipt = await runtime.sendMessage(handle, { text: "greet me", timeout: 60_000 });
      expect(receipt).toEqual({ status: "confirmed", delivery: ways[runtimeName] });
      const asked = () =>
        model.requests.some(({ messages }) =>
          messages.some(({ text }) => text.includes("greet me")),
        );
      await expect.poll(asked, { timeout: 60_000 }).toBe(true);
      const received = async () =>
        (await written(hooks))
          .trim()
          .split("\n")
          .map((line) => HookPayload.parse(JSON.parse(line)));
      if (runtimeName === "claude" && mode === "tmux") {
        const notified = async () =>
          (await received()).find(({ data }) => data.notification_type !== undefined);
        await expect.poll(notified, { timeout: 60_000 }).toMatchObject({
          event: "OnMessage",
          session_id: "gt-abc123",
          data: { role: "runtime", notification_type: "idle_prompt" },
        });
      }
      await runtime.stop(handle, "done");
      expect(await runtime.detectRunning(handle)).toBe(false);
      await expect
        .poll(async () => (await received()).at(-1)?.event, { timeout: 60_000 })
        .toBe("SessionStop");
      const [first, ...others] = await received();
      expect(first).toMatchObject({
        event: "SessionStart",
        runtime: runtimeName,
        workdir: workDir,
      });
      expect(new Set([first, ...others].map((payload) => payload?.session_id))).toEqual(
        new Set(["gt-abc123"]),
      );
      const [began, ended] = [first?.data.source, others.at(-1)?.data.end_reason];
      const native = { claude: ["startup", "other"], codex: [undefined, undefined] };
      expect([began, ended], "what only its own hooks report").toEqual(native[runtimeName]);
    },
  );
});

test("codex with delivery rpc receives messages through a socket, not its standard input", async () => {
  const registryOf = (home: string, delivery: string) =>
    JSON.stringify({ runtimes: { codex: { bin: join(home, "codex"), delivery } } });
  const { home, env, model, runtime, worktree } = await openTown((at) => registryOf(at, "rpc"));
  const [log, program] = [
    join(home, "started"),
    join(runtimesDir, "codex/node_modules/.bin/codex"),
  ];
  const script = `#!/bin/sh\n[ "$1" = app-server ] && echo "$2 $3 $(readlink /proc/$$/fd/0)" >> ${log}\nexec ${program} "$@"\n`;
  await writeFile(join(home, "codex"), script, { mode: 0o755 });
  model.on("greet", { text: "Hello, rig." });
  const workDir = await worktree("ivy");
  const handle = await runtime.start({ workDir, runtimeName: "codex", mode: "minimal" });
  const message = { text: "greet me", timeout: 60_000 };
  const receipt = await runtime.sendMessage(handle, { ...message, delivery: "rpc" });
  expect(receipt).toEqual({ status: "confirmed", delivery: "rpc" });
  expect(await written(log)).toBe("--listen ws://127.0.0.1:0 /dev/null\n");
  const other = runtime.sendMessage(handle, { ...message, delivery: "stdin" });
  await expect(other).rejects.toMatchObject({ code: "unsupported" });

  await runtime[Symbol.asyncDispose]();
  await writeFile(join(home, ".gastown", "runtimes.json"), registryOf(home, "stdin"));
  await using later = createAgentRuntime({ create: { env } });
  expect(await later.sendMessage(handle, message)).toMatchObject({ delivery: "rpc" });
  await later.stop(handle, "done");
});
