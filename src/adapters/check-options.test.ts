import { expect, test } from "vitest";
import { createHalyard } from "../create-halyard.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { acpAdapter, presetAdapter } from "./acp/index.ts";
import { claudeAdapter } from "./claude/index.ts";
import { ccsdkAdapter } from "./claude/sdk/sdk.ts";
import { codexAdapter } from "./codex/index.ts";
import { droidAdapter } from "./droid/index.ts";
import { opencodeAdapter } from "./opencode/index.ts";

const context = { env: {}, runtimesDir: "/nowhere" };
const gemini = { name: "gemini", displayName: "Gemini", command: ["gemini"], hint: "" } as const;

test.each([
  { adapter: acpAdapter(context), options: {}, words: "The runtime acp needs a command" },
  { adapter: acpAdapter(context), options: { command: ["a"], passEnv: "KEY" }, words: "passEnv" },
  { adapter: presetAdapter(gemini, context), options: { passEnv: "KEY" }, words: "passEnv" },
  { adapter: claudeAdapter(context), options: { settings: "none" }, words: "settings" },
  { adapter: ccsdkAdapter(context), options: { ccsdkOptions: "none" }, words: "ccsdkOptions" },
  { adapter: codexAdapter(context), options: { config: "none" }, words: "config: Invalid" },
  { adapter: droidAdapter(context), options: { mcpServers: "none" }, words: "mcpServers" },
  {
    adapter: droidAdapter(context),
    options: { models: "none", mcpServers: "none" },
    words: "models: Invalid input: expected array, received string; mcpServers: Invalid",
  },
  { adapter: opencodeAdapter(context), options: { mcpServers: "none" }, words: "mcpServers" },
])(
  "the adapter $adapter.name rejects the invalid options $options",
  ({ adapter, options, words }) => {
    const message = expect.stringContaining(words);
    expect(() => adapter.checkOptions?.(options)).toThrow(
      expect.objectContaining({ code: "invalid_input", message }),
    );
  },
);

test("records no session if a start is rejected because of invalid options", async () => {
  const home = await temporaryDirectory();
  await using halyard = await createHalyard({ home, env: {} });
  const starting = halyard.start({ runtime: "acp", cwd: home });
  await expect(starting).rejects.toThrow("The runtime acp needs a command");
  expect(await halyard.sessions()).toEqual([]);
});
