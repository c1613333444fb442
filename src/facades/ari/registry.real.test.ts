import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openTown } from "../../../test/facades/gas-town.ts";
import { claudeToolCalls } from "../../adapters/claude/tool-calls.ts";
import { codexToolCalls } from "../../adapters/codex/tool-calls.ts";
import { HookPayload } from "../../schema/hook.ts";

const tools = { claude: claudeToolCalls, codex: codexToolCalls };

const written = async (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");

describe.each(["claude", "codex"] as const)("%s with the registry of the seed", (runtimeName) => {
  test.each([
    ["minimal", { claude: "stdin", codex: "stdin" }],
    ["tmux", { claude: "tmux", codex: "rpc" }],
  ] as const)(
    "works in mode %s, unattended and with the seed's parameters alone",
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
      await expect.poll(asked).toBe(true);
      await runtime.stop(handle, "done");
      expect(await runtime.detectRunning(handle)).toBe(false);
      const told = async () =>
        (await written(hooks))
          .trim()
          .split("\n")
          .map((line) => HookPayload.parse(JSON.parse(line)));
      await expect.poll(async () => (await told()).at(-1)?.event).toBe("SessionStop");
      const [first, ...others] = await told();
      expect(first).toMatchObject({
        event: "SessionStart",
        runtime: runtimeName,
        workdir: workDir,
      });
      expect(new Set([first, ...others].map((payload) => payload?.session_id))).toEqual(
        new Set(["gt-abc123"]),
      );
      if (runtimeName === "claude" && mode === "minimal")
        expect(first?.data).toMatchObject({ source: "startup" });
    },
  );
});
