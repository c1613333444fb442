import { expect, test } from "vitest";
import { claudeAdapter } from "../adapters/claude/index.ts";
import { ccsdkAdapter } from "../adapters/claude/sdk/sdk.ts";
import { opencodeAdapter } from "../adapters/opencode/index.ts";
import { piAdapter } from "../adapters/pi/index.ts";
import { checkToolNames } from "./tool-names.ts";

const places = { runtimesDir: "/nowhere", env: {} };
const adapters = {
  claude: claudeAdapter(places),
  ccsdk: ccsdkAdapter(places),
  opencode: opencodeAdapter(places),
  pi: piAdapter(places),
};

test.each([
  ["claude", "bash", "Bash"],
  ["claude", "Bsh(git push:*)", "Bash"],
  ["ccsdk", "WebFecth", "WebFetch"],
  ["opencode", "Bash", "bash"],
  ["opencode", "bahs", "bash"],
  ["pi", "rea", "read"],
] as const)("rejects a misspelled tool of %s, enabled or disabled: %s", (runtime, name, meant) => {
  for (const list of ["enabled", "disabled"])
    expect(() => checkToolNames(adapters[runtime], { [list]: [name] })).toThrow(
      expect.objectContaining({
        code: "invalid_input",
        message: expect.stringContaining(`Did you mean "${meant}"?`),
      }),
    );
});

test("accepts built-in tools, MCP tools, and rules for a tool's arguments", () => {
  const { claude, pi } = adapters;
  const disabled = ["Bash", "mcp__github", "mcp__github__push", "Bash(git push:*)"];
  expect(checkToolNames(claude, { disabled })).toEqual([]);
  expect(checkToolNames(pi, { enabled: ["read", "ls"] })).toEqual([]);
  expect(checkToolNames(claude)).toEqual([]);
});

test("warns about a tool that only an extension can provide", () => {
  expect(checkToolNames(adapters.pi, { enabled: ["deploy_preview"] })).toEqual([
    'tools: Pi has no built-in tool "deploy_preview". Built-in tools: bash, edit, find, grep, ls, read, write.',
  ]);
});
