import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ConnectRequest } from "../../contracts/adapter.ts";
import { createLocalHost } from "../../hosts/local/index.ts";
import { assistantTexts, Conversation, ofType } from "../../testing/adapter-suite/conversation.ts";
import { sampleRequest } from "../../testing/sample-request.ts";
import { type ScriptedModel, startScriptedModel } from "../../testing/scripted-model.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { piToolCalls } from "./events/tool-calls.ts";
import { piAdapter } from "./index.ts";
import { providerKeys } from "./model/provider-keys.ts";

interface Setup {
  readonly directory: string;
  readonly model: ScriptedModel;
  /** The user's Pi directory. */
  readonly agentDir: string;
  open(request?: Partial<ConnectRequest>): Promise<Conversation>;
}

/**
 * Creates a user's home with these files in the Pi directory, and removes all keys from the environment of this
 * process.
 */
async function createSetup(
  mode: "sdk" | "rpc",
  files: (model: ScriptedModel) => Record<string, string> = () => ({}),
): Promise<Setup> {
  for (const [, variable] of providerKeys) vi.stubEnv(variable, undefined);
  const directory = await temporaryDirectory();
  const model = await startScriptedModel();
  const home = join(directory, "home");
  const agentDir = join(home, ".pi", "agent");
  for (const part of ["home", "work", "run", "state"]) await mkdir(join(directory, part));
  for (const [name, content] of Object.entries(files(model))) {
    await mkdir(dirname(join(agentDir, name)), { recursive: true });
    await writeFile(join(agentDir, name), content);
  }
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, OPENAI_API_KEY: "sk-of-openai" };
  const { OPENAI_API_KEY: _, ...keyless } = env;
  const hasFiles = Object.keys(files(model)).length > 0;
  const adapter = piAdapter({ mode, env: hasFiles ? env : keyless, runtimesDir: directory });
  const conversations: Conversation[] = [];
  onTestFinished(async () => {
    for (const conversation of conversations) await conversation[Symbol.asyncDispose]();
    await model.close();
    vi.unstubAllEnvs();
  });
  return {
    directory,
    model,
    agentDir,
    async open(request) {
      const full = sampleRequest({
        cwd: join(directory, "work"),
        host: createLocalHost(),
        runDir: join(directory, "run"),
        stateDir: join(directory, "state"),
        permissions: "allow-all",
        ...request,
      });
      const connection = await adapter.connect(full);
      const conversation = new Conversation(connection, () => undefined);
      conversations.push(conversation);
      await connection.ready();
      return conversation;
    },
  };
}

/** Returns the files of a user who is signed in to Anthropic, for which the scripted model stands in. */
const signedIn = (model: ScriptedModel): Record<string, string> => ({
  "auth.json": JSON.stringify({
    anthropic: { type: "api_key", key: model.endpoint("anthropic").apiKey },
  }),
  "models.json": JSON.stringify({
    providers: { anthropic: { baseUrl: model.baseUrl("anthropic") } },
  }),
  "settings.json": JSON.stringify({ retry: { enabled: false }, defaultThinkingLevel: "off" }),
});

async function contents(directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const found: Record<string, string> = {};
  for (const entry of entries.filter((entry) => entry.isFile())) {
    const file = join(entry.parentPath, entry.name);
    found[file] = await readFile(file, "utf8");
  }
  return found;
}

describe.each(["sdk", "rpc"] as const)("the user's own Pi setup (%s)", (mode) => {
  test("reports which keys to set if there is no key, and creates no files", async () => {
    const setup = await createSetup(mode);
    await expect(setup.open()).rejects.toMatchObject({
      code: "not_signed_in",
      message: expect.stringMatching(/HALYARD_API_KEY.*ANTHROPIC_API_KEY.*\/login/),
    });
    expect(await readdir(join(setup.directory, "home"))).toEqual([]);
  });

  test("uses the user's login and models without changing them [s4.plan.pi-unchanged]", async () => {
    const setup = await createSetup(mode, signedIn);
    const before = await contents(setup.agentDir);
    await writeFile(join(setup.directory, "work", "AGENTS.md"), "Always be BRIEF.");
    const usage = { inputTokens: 1000, outputTokens: 100 };
    const toolCalls = [piToolCalls.shell("env")];
    setup.model.on("look", { toolCalls, usage }, { text: "Done.", usage });
    const conversation = await setup.open({ model: { id: "anthropic/claude-of-tomorrow" } });
    const { drafts, end } = await conversation.turn("look around");
    expect(assistantTexts(drafts)).toEqual(["Done."]);
    expect(end.usage?.costUsd, "Pi knows Anthropic's prices").toBeGreaterThan(0);
    const [request] = setup.model.requests;
    expect(request?.model).toBe("claude-of-tomorrow");
    expect(request?.messages[0]?.text).toContain("Always be BRIEF.");
    expect(ofType(drafts, "tool_result")[0]?.output).not.toContain("sk-of-openai");
    await conversation[Symbol.asyncDispose]();
    expect(await contents(setup.agentDir)).toEqual(before);
    expect(await readdir(join(setup.directory, "state", "pi"))).toHaveLength(1);
  });

  test("lets the user's extension handle a message as a command", async () => {
    const setup = await createSetup(mode, (model) => ({
      ...signedIn(model),
      "extensions/hello.js": `export default (pi) => {
        pi.registerCommand("hello", { description: "greets", handler: async () => {} });
      };`,
    }));
    const conversation = await setup.open();
    const { end } = await conversation.turn("/hello");
    expect(end.status).toBe("completed");
    expect(setup.model.requests).toEqual([]);
  });
});

test("forwards a question from the user's extension and its answer", async () => {
  const setup = await createSetup("rpc", (model) => ({
    ...signedIn(model),
    "extensions/ask.js": `export default (pi) => {
      pi.on("input", async (event, ctx) => {
        const branch = await ctx.ui.select("Which branch?", ["main", "next"]);
        return { action: "transform", text: event.text + " on " + branch };
      });
    };`,
  }));
  setup.model.on("work on next", { text: "Done." });
  const conversation = await setup.open();
  const sent = conversation.send("work");
  const question = await conversation.until("request");
  expect(question).toMatchObject({ kind: "question", text: "Which branch?" });
  await conversation.connection.answer(question.nativeId, { decision: "allow", optionId: "next" });
  await sent;
  expect(assistantTexts((await conversation.finishedTurn()).drafts)).toEqual(["Done."]);
});
