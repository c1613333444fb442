import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { piProgram, runtimesDir } from "../../test/real/runtimes-dir.ts";
import { claudeToolCalls } from "../adapters/claude/events/tool-calls.ts";
import { claudeAdapter } from "../adapters/claude/index.ts";
import { codexToolCalls } from "../adapters/codex/events/tool-calls.ts";
import { codexAdapter } from "../adapters/codex/index.ts";
import { droidToolCalls } from "../adapters/droid/events/tool-calls.ts";
import { droidAdapter } from "../adapters/droid/index.ts";
import { opencodeAdapter } from "../adapters/opencode/index.ts";
import { piToolCalls } from "../adapters/pi/events/tool-calls.ts";
import { piAdapter } from "../adapters/pi/index.ts";
import type { Adapter } from "../contracts/adapter.ts";
import type { Halyard } from "../contracts/halyard.ts";
import { createHalyard } from "../create-halyard.ts";
import type { ModelApi } from "../schema/model.ts";
import type { FacadeStage, Prompts } from "../testing/compat-suite/compat-stage.ts";
import { describeCompat } from "../testing/describe-compat.ts";
import type { ModelToolCall } from "../testing/script.ts";
import { type ScriptedModel, startScriptedModel } from "../testing/scripted-model.ts";

interface Program {
  createAdapter(paths: { env: Record<string, string>; runtimesDir: string }): Adapter;
  readonly api: ModelApi;
  shell(command: string): ModelToolCall;
  /**
   * True if the program's sessions share a server, which runs while a session is open. The test keeps one session open
   * for each policy, so that the server starts only once per policy.
   */
  readonly isServer?: true;
}

const programs: Readonly<Record<string, Program>> = {
  pi: {
    createAdapter: (paths) => piAdapter({ mode: "rpc", bin: piProgram, ...paths }),
    api: "anthropic",
    shell: piToolCalls.shell,
  },
  codex: { createAdapter: codexAdapter, api: "openai-responses", shell: codexToolCalls.shell },
  claude: { createAdapter: claudeAdapter, api: "anthropic", shell: claudeToolCalls.shell },
  opencode: {
    createAdapter: opencodeAdapter,
    api: "openai-chat",
    shell: (command) => ({ name: "bash", input: { command, description: "run it" } }),
    isServer: true,
  },
  droid: { createAdapter: droidAdapter, api: "openai-chat", shell: droidToolCalls.shell },
};

for (const [name, program] of Object.entries(programs)) {
  let location: SharedParts | undefined;
  afterAll(async () => location?.[Symbol.asyncDispose]());
  describeCompat(name, async () => {
    location ??= await openSharedParts(name, program);
    return location.open();
  });
}

/** The directory, scripted model and adapter that all stages of one program share. */
interface SharedParts extends AsyncDisposable {
  open(): Promise<FacadeStage>;
}

async function openSharedParts(runtime: string, program: Program): Promise<SharedParts> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "halyard-")));
  const env = { PATH: process.env.PATH ?? "", HOME: directory };
  const model = await startScriptedModel();
  const endpoint = model.endpoint(program.api);
  const prompts = scripted(model, program.shell);
  const createAdapter = () => program.createAdapter({ env, runtimesDir });
  const openHalyard = (adapter: Adapter) =>
    createHalyard({ home: join(directory, "halyard"), env, adapters: [adapter] });

  const adapter = createAdapter();
  const keeper = await openHalyard(adapter);
  const close = async (): Promise<void> => {
    await keeper[Symbol.asyncDispose]();
    await model.close();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    for (const permissions of program.isServer ? (["ask", "allow-all"] as const) : [])
      await keeper.start({ runtime, cwd: directory, permissions, model: endpoint });
  } catch (error) {
    await close();
    throw error;
  }

  let count = 0;
  const open = async (): Promise<FacadeStage> => {
    const cwd = join(directory, `${++count}`, "work");
    await mkdir(cwd, { recursive: true });
    const opened: Halyard[] = [];
    const keep = async (opening: Promise<Halyard>): Promise<Halyard> => {
      const halyard = await opening;
      opened.push(halyard);
      return halyard;
    };
    return {
      runtime,
      halyard: await keep(openHalyard(adapter)),
      cwd,
      model: endpoint,
      prompts,
      again: () => keep(openHalyard(createAdapter())),
      async [Symbol.asyncDispose]() {
        for (const halyard of opened) await halyard[Symbol.asyncDispose]();
      },
    };
  };
  return { open, [Symbol.asyncDispose]: close };
}

/** Returns functions that each script a reply of the model and return the prompt for it. */
function scripted(model: ScriptedModel, shell: Program["shell"]): Prompts {
  let number = 0;
  const task = (): string => `task-${++number}-`; // unique names, none of which is a substring of another
  return {
    say(text) {
      const prompt = task();
      model.on(prompt, { text, usage: { inputTokens: 40, outputTokens: 7 } });
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
