import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { claudeToolCalls } from "../../src/adapters/claude/events/tool-calls.ts";
import { claudeAdapter } from "../../src/adapters/claude/index.ts";
import { codexToolCalls } from "../../src/adapters/codex/events/tool-calls.ts";
import { codexAdapter } from "../../src/adapters/codex/index.ts";
import { createHalyard } from "../../src/create-halyard.ts";
import type { ModelApi } from "../../src/schema/model.ts";
import { startScriptedModel } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { runtimesDir } from "../real/runtimes-dir.ts";

const runtimes = {
  claude: { createAdapter: claudeAdapter, tools: claudeToolCalls, api: "anthropic" },
  codex: { createAdapter: codexAdapter, tools: codexToolCalls, api: "openai-responses" },
} as const;

export type ScreenRuntime = keyof typeof runtimes;

/**
 * Creates a home, a working directory and a scripted model. `open` opens a Halyard instance that runs a real program on
 * a screen.
 */
export async function openStage(runtime: ScreenRuntime) {
  const { createAdapter, tools, api } = runtimes[runtime];
  const directory = await temporaryDirectory();
  const [home, cwd] = [join(directory, "home"), join(directory, "work")];
  await mkdir(cwd);
  const env = { PATH: process.env.PATH, HOME: directory };
  const model = await startScriptedModel();
  onTestFinished(() => model.close());
  const endpoint = model.endpoint(api satisfies ModelApi);
  const open = async () => {
    const adapters = [createAdapter({ env, runtimesDir })];
    const halyard = await createHalyard({ home, env, adapters });
    onTestFinished(() => halyard[Symbol.asyncDispose]());
    return halyard;
  };
  const request = { runtime, cwd, host: "tmux", model: endpoint } as const;
  return { directory, home, cwd, env, model, endpoint, tools, request, open };
}
