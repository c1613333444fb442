import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runtimesDir } from "../../test/real/runtimes-dir.ts";
import { claudeAdapter } from "../adapters/claude/index.ts";
import { claudeToolCalls } from "../adapters/claude/tool-calls.ts";
import { codexAdapter } from "../adapters/codex/index.ts";
import { codexToolCalls } from "../adapters/codex/tool-calls.ts";
import { droidAdapter } from "../adapters/droid/index.ts";
import { droidToolCalls } from "../adapters/droid/tool-calls.ts";
import { opencodeAdapter } from "../adapters/opencode/index.ts";
import { piAdapter } from "../adapters/pi/index.ts";
import { piToolCalls } from "../adapters/pi/tool-calls.ts";
import type { Adapter } from "../core/adapter.ts";
import type { Halyard } from "../core/halyard.ts";
import { createHalyard } from "../create-halyard.ts";
import type { ModelApi } from "../schema/model.ts";
import { describeFacades } from "../testing/describe-facades.ts";
import type { FacadeStage, Prompts } from "../testing/facade-suite/facade-stage.ts";
import type { ModelToolCall } from "../testing/script.ts";
import { type ScriptedModel, startScriptedModel } from "../testing/scripted-model.ts";

interface Program {
  createAdapter(places: { env: Record<string, string>; runtimesDir: string }): Adapter;
  readonly api: ModelApi;
  shell(command: string): ModelToolCall;
}

const programs: Readonly<Record<string, Program>> = {
  pi: {
    createAdapter: (places) => piAdapter({ mode: "rpc", ...places }),
    api: "anthropic",
    shell: piToolCalls.shell,
  },
  codex: { createAdapter: codexAdapter, api: "openai-responses", shell: codexToolCalls.shell },
  claude: { createAdapter: claudeAdapter, api: "anthropic", shell: claudeToolCalls.shell },
  opencode: {
    createAdapter: opencodeAdapter,
    api: "openai-chat",
    shell: (command) => ({ name: "bash", input: { command, description: "run it" } }),
  },
  droid: { createAdapter: droidAdapter, api: "openai-chat", shell: droidToolCalls.shell },
};

for (const [name, program] of Object.entries(programs))
  describeFacades(name, () => openStage(name, program));

async function openStage(
  runtime: string,
  { createAdapter, api, shell }: Program,
): Promise<FacadeStage> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "halyard-")));
  const cwd = join(directory, "work");
  await mkdir(cwd);
  const env = { PATH: process.env.PATH ?? "", HOME: directory };
  const model = await startScriptedModel();
  const opened: Halyard[] = [];
  const again = async () => {
    const adapters = [createAdapter({ env, runtimesDir })];
    const halyard = await createHalyard({ home: join(directory, "halyard"), env, adapters });
    opened.push(halyard);
    return halyard;
  };
  return {
    runtime,
    halyard: await again(),
    cwd,
    model: model.endpoint(api),
    prompts: scripted(model, shell),
    again,
    async [Symbol.asyncDispose]() {
      for (const halyard of opened) await halyard[Symbol.asyncDispose]();
      await model.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Prompts that the model knows the answers to. */
function scripted(model: ScriptedModel, shell: Program["shell"]): Prompts {
  let number = 0;
  const task = (): string => `task-${++number}`;
  return {
    say(text) {
      const prompt = task();
      model.on(prompt, { text });
      return prompt;
    },
    shell(command) {
      const prompt = task();
      model.on(prompt, { toolCalls: [shell(command)] }, { text: "Done." });
      return prompt;
    },
    sing() {
      const prompt = task();
      model.on(prompt, { text: "la ".repeat(300), chunkSize: 3, chunkDelayMs: 30 });
      return prompt;
    },
    recall(first) {
      const prompt = task();
      model.on(prompt, { text: "I do not know." });
      model.on(
        ({ messages }) =>
          [first, prompt].every((words) => messages.some(({ text }) => text.includes(words))),
        { text: `You said ${first}.` },
      );
      return { prompt, answer: `You said ${first}.` };
    },
  };
}
