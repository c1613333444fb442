import { expect, test } from "vitest";
import { createHalyard } from "../create-halyard.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { acpAdapter, presetAdapter } from "./acp/index.ts";
import { claudeAdapter } from "./claude/index.ts";
import { ccsdkAdapter } from "./claude/sdk.ts";
import { codexAdapter } from "./codex/index.ts";
import { droidAdapter } from "./droid/index.ts";
import { opencodeAdapter } from "./opencode/index.ts";

const context = { env: {}, runtimesDir: "/nowhere" };
const gemini = { name: "gemini", displayName: "Gemini", command: ["gemini"], hint: "" } as const;

test.each([
  [acpAdapter(context), {}, "the runtime acp needs a command"],
  [acpAdapter(context), { command: ["agent"], passEnv: "KEY" }, "passEnv"],
  [presetAdapter(gemini, context), { passEnv: "KEY" }, "passEnv"],
  [claudeAdapter(context), { settings: "none" }, "settings"],
  [ccsdkAdapter(context), { ccsdkOptions: "none" }, "ccsdkOptions"],
  [codexAdapter(context), { config: "none" }, "config"],
  [droidAdapter(context), { mcpServers: "none" }, "mcpServers"],
  [opencodeAdapter(context), { mcpServers: "none" }, "mcpServers"],
])("$name refuses %j", (adapter, options, words) => {
  const message = expect.stringContaining(words);
  expect(() => adapter.checkOptions?.(options)).toThrow(
    expect.objectContaining({ code: "invalid_input", message }),
  );
});

test("what is refused leaves no session behind", async () => {
  const home = await temporaryDirectory();
  await using halyard = await createHalyard({ home, env: {} });
  const starting = halyard.start({ runtime: "acp", cwd: home });
  await expect(starting).rejects.toThrow("the runtime acp needs a command");
  expect(await halyard.sessions()).toEqual([]);
});
