import { expect, test } from "vitest";
import { importPresets, PresetsFile } from "./presets.ts";

const builtIn = ["claude", "codex", "pi"];
const imported = (agents: object) =>
  importPresets(PresetsFile.parse({ version: 1, agents }), builtIn);

test("imports a built-in runtime's program, but not its interactive arguments", () => {
  const claude = {
    name: "claude",
    command: "/opt/claude",
    args: ["--dangerously-skip-permissions"],
    process_names: ["node", "claude"],
    ready_prompt_prefix: "❯ ",
    ready_delay_ms: 10_000,
    resume_flag: "--resume",
  };
  expect(imported({ claude })).toEqual({
    entries: {
      claude: {
        bin: "/opt/claude",
        process_names: ["node", "claude"],
        ready: "prompt",
        ready_prompt_prefix: "❯ ",
        ready_delay_ms: 10_000,
      },
    },
    warnings: [
      "claude: --dangerously-skip-permissions applies to its interactive mode, which Halyard does not use",
      "claude: Halyard ignores resume_flag",
    ],
  });
});

test("imports any other agent as a program on a screen, or as an ACP agent if it supports ACP", () => {
  const gemini = { command: "gemini", args: ["--approval-mode", "yolo"], ready_delay_ms: 5000 };
  const kimi = { command: "kimi", args: ["--tui"], acp: { mode: "subcommand", args: ["acp"] } };
  expect(imported({ gemini, kimi })).toEqual({
    entries: {
      gemini: {
        bin: "gemini",
        args: ["--approval-mode", "yolo"],
        ready: "warmup",
        ready_delay_ms: 5000,
        delivery: "tmux",
      },
      kimi: { bin: "kimi", args: ["acp"], protocol: "acp" },
    },
    warnings: [],
  });
});

test.each([
  ["subcommand", { bin: "oc", args: ["acp", "--quiet"] }],
  ["flag", { bin: "oc", args: ["acp", "--quiet"] }],
  ["native", { bin: "acp", args: ["--quiet"] }],
])("builds an agent's ACP command for the mode %s", (mode, line) => {
  const acp = { mode, command: "acp", args: ["--quiet"] };
  expect(imported({ mine: { command: "oc", args: ["--tui"], acp } }).entries).toEqual({
    mine: { ...line, protocol: "acp" },
  });
});

test("skips an invalid name with a warning", () => {
  expect(imported({ "My Agent": { command: "x" } })).toEqual({
    entries: {},
    warnings: [
      "My Agent was not imported: a runtime's name must be lower-case, such as pi. Rename the agent.",
    ],
  });
});
