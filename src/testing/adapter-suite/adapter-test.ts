import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, expect, vi } from "vitest";
import type { Adapter, ConnectRequest } from "../../core/adapter.ts";
import type { RequestDraft } from "../../core/draft.ts";
import type { Host } from "../../core/host.ts";
import type { ModelApi } from "../../schema/model.ts";
import type { Answer } from "../../schema/permission.ts";
import { survivors, TEST_MARK } from "../host-suite/survivors.ts";
import { sampleRequest } from "../sample-request.ts";
import type { ModelToolCall } from "../script.ts";
import { type ScriptedModel, startScriptedModel } from "../scripted-model.ts";
import { Conversation } from "./conversation.ts";

/** A runtime's adapter, and how its model uses its tools. */
export interface RuntimeUnderTest {
  createAdapter(context: { env: Record<string, string>; directory: string }): Adapter;
  createHost(context: { directory: string }): Host;
  /** The wire protocols it takes a model over; the first is used where it does not matter. */
  readonly apis: readonly [ModelApi, ...ModelApi[]];
  readonly tools: {
    write(path: string, content: string): ModelToolCall;
    shell(command: string): ModelToolCall;
    /** Where the runtime tells what was changed. */
    edit?(path: string, from: string, to: string): ModelToolCall;
    /** A tool of an MCP server's, where the scripted model can call one. */
    mcp?(server: string, tool: string): ModelToolCall;
    /** What the runtime calls the one that writes, where its model calls it by another name. */
    readonly writeName?: string;
  };
  /** The status of a failing model whose words get through to the user; 500 unless said otherwise. */
  readonly failingStatus?: number;
  /** How many characters it takes at once, where there is a limit. */
  readonly longestMessage?: number;
  /** It is typed to, and its input line makes line breaks and spaces of other blanks. */
  readonly tidiesBlanks?: true;
  /** It takes no MCP servers over SSE. */
  readonly missesSse?: true;
  /** It does not tell us what became of its MCP servers. */
  readonly missesServerFailures?: true;
  /** The scripted model has no way to tell it that an answer breaks off. */
  readonly missesMaxTokens?: true;
}

export interface ConnectOptions
  extends Partial<
    Pick<
      ConnectRequest,
      | "model"
      | "permissions"
      | "plan"
      | "reasoning"
      | "systemPrompt"
      | "resume"
      | "attach"
      | "env"
      | "tools"
      | "hear"
      | "options"
    >
  > {
  /** Unless said otherwise, whatever is asked is left open. */
  answer?(request: RequestDraft): Answer | undefined;
}

/** One test's runtime, in directories of its own; all that it started is gone when the test ends. */
export interface Stage extends AsyncDisposable {
  readonly adapter: Adapter;
  readonly tools: RuntimeUnderTest["tools"];
  readonly model: ScriptedModel;
  readonly apis: RuntimeUnderTest["apis"];
  /** Holds everything that the runtime may write. */
  readonly directory: string;
  readonly cwd: string;
  /** Connects without waiting for anything. */
  connect(options?: ConnectOptions): Promise<Conversation>;
  /** Connects, and waits until the runtime takes messages. */
  open(options?: ConnectOptions): Promise<Conversation>;
  /** The processes of this test that run now: those with its mark in their environment. */
  survivors(): number[];
  readonly mark: Readonly<Record<string, string>>;
}

/** A stage with a conversation on it that goes on from test to test, for those that ask for nothing special. */
export interface SharedStage extends Stage {
  readonly conversation: Conversation;
}

export type AdapterTest = ReturnType<typeof createAdapterTest>;

export function createAdapterTest(runtime: RuntimeUnderTest) {
  return base.extend<{ stage: Stage; shared: SharedStage }>({
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures needed from here
    stage: async ({}, use) => {
      await using stage = await createStage(runtime);
      await use(stage);
    },
    shared: [
      // biome-ignore lint/correctness/noEmptyPattern: as above
      async ({}, use) => {
        await using stage = await createStage(runtime);
        const conversation = await stage.open();
        await use({ ...stage, conversation });
      },
      { scope: "file" },
    ],
  });
}

/** Waits until the model speaks. Where words come only when all are said, that it was asked is all there is to see. */
export async function speaking(
  { adapter, model }: Stage,
  conversation: Conversation,
  { from = 0, asked = 0 } = {},
): Promise<void> {
  if (adapter.capabilities.includes("deltas")) await conversation.until("delta", from);
  else await vi.waitFor(() => expect(model.requests.length).toBeGreaterThan(asked), PATIENCE);
}

const PATIENCE = { timeout: 10_000 };

async function createStage(runtime: RuntimeUnderTest): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), "halyard-adapter-"));
  const conversations: Conversation[] = [];
  const cwd = join(directory, "work");
  const stateDir = join(directory, "state");
  const home = join(directory, "home");
  const mark = randomUUID();
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home };
  const adapter = runtime.createAdapter({ env, directory });
  const host = runtime.createHost({ directory });
  const model = await startScriptedModel();
  const newRunDir = async (): Promise<string> => {
    const runDir = join(directory, `run-${conversations.length}`);
    await mkdir(runDir);
    return runDir;
  };
  let runDir = "";
  for (const part of [cwd, stateDir, home]) await mkdir(part);

  const connect: Stage["connect"] = async ({ answer = () => undefined, ...options } = {}) => {
    if (options.attach === undefined) runDir = await newRunDir();
    const request = sampleRequest({
      cwd,
      host,
      runDir,
      stateDir,
      permissions: "allow-all",
      model: model.endpoint(runtime.apis[0]),
      ...options,
      env: { [TEST_MARK]: mark, ...options.env },
    });
    const connection = await adapter.connect(request);
    const conversation = new Conversation(connection, answer);
    conversations.push(conversation);
    return conversation;
  };
  return {
    adapter,
    tools: runtime.tools,
    model,
    apis: runtime.apis,
    directory,
    cwd,
    connect,
    async open(options) {
      const conversation = await connect(options);
      await conversation.connection.ready();
      return conversation;
    },
    survivors: () => survivors(mark),
    mark: { [TEST_MARK]: mark },
    async [Symbol.asyncDispose]() {
      await Promise.all(conversations.map((one) => one[Symbol.asyncDispose]()));
      await model.close();
      await rm(directory, { recursive: true, force: true });
      const left = survivors(mark);
      for (const pid of left) process.kill(pid, "SIGKILL");
      expect(left, "processes left behind").toEqual([]);
    },
  };
}
