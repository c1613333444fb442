import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, expect } from "vitest";
import type { Adapter, ConnectRequest } from "../../core/adapter.ts";
import type { RequestDraft } from "../../core/draft.ts";
import type { Host } from "../../core/host.ts";
import type { ModelApi } from "../../schema/model.ts";
import type { Answer } from "../../schema/permission.ts";
import { Limits } from "../../schema/session.ts";
import { survivors, TEST_MARK } from "../host-suite/survivors.ts";
import type { ModelToolCall } from "../script.ts";
import { type ScriptedModel, startScriptedModel } from "../scripted-model.ts";
import { Conversation } from "./conversation.ts";

/** A runtime's adapter, and how its model uses its tools. */
export interface RuntimeUnderTest {
  createAdapter(context: { env: Record<string, string>; directory: string }): Adapter;
  createHost(): Host;
  /** The wire protocols it takes a model over; the first is used where it does not matter. */
  readonly apis: readonly [ModelApi, ...ModelApi[]];
  readonly tools: {
    write(path: string, content: string): ModelToolCall;
    shell(command: string): ModelToolCall;
    /** Where the runtime tells what was changed. */
    edit?(path: string, from: string, to: string): ModelToolCall;
  };
}

export interface ConnectOptions
  extends Partial<
    Pick<
      ConnectRequest,
      "model" | "permissions" | "plan" | "reasoning" | "systemPrompt" | "resume" | "attach" | "env"
    >
  > {
  /** Unless said otherwise, whatever is asked is left open. */
  answer?(request: RequestDraft): Answer | undefined;
}

/** One test's runtime, in directories of its own; all that it started is gone when the test ends. */
export interface Stage {
  readonly adapter: Adapter;
  readonly tools: RuntimeUnderTest["tools"];
  readonly model: ScriptedModel;
  readonly apis: RuntimeUnderTest["apis"];
  readonly cwd: string;
  /** Where nothing may be found of a key. */
  readonly runDir: string;
  readonly stateDir: string;
  /** Connects without waiting for anything. */
  connect(options?: ConnectOptions): Promise<Conversation>;
  /** Connects, and waits until the runtime takes messages. */
  open(options?: ConnectOptions): Promise<Conversation>;
  /** The processes of this test that run now. */
  survivors(): number[];
}

export type AdapterTest = ReturnType<typeof createAdapterTest>;

export function createAdapterTest(runtime: RuntimeUnderTest) {
  return base.extend<{ stage: Stage }>({
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures needed from here
    stage: async ({}, use) => {
      const directory = await mkdtemp(join(tmpdir(), "halyard-adapter-"));
      const conversations: Conversation[] = [];
      const stage = await createStage(runtime, directory, conversations);
      await use(stage);
      await Promise.all(conversations.map((one) => one[Symbol.asyncDispose]()));
      await stage.model.close();
      await rm(directory, { recursive: true, force: true });
      const left = stage.survivors();
      for (const pid of left) process.kill(pid, "SIGKILL");
      expect(left, "processes left behind").toEqual([]);
    },
  });
}

async function createStage(
  runtime: RuntimeUnderTest,
  directory: string,
  conversations: Conversation[],
): Promise<Stage> {
  const [cwd, stateDir, home] = ["work", "state", "home"].map((name) => join(directory, name));
  if (cwd === undefined || stateDir === undefined || home === undefined) throw new Error("no");
  for (const part of [cwd, stateDir, home]) await mkdir(part);
  const mark = randomUUID();
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: home };
  const adapter = runtime.createAdapter({ env, directory });
  const model = await startScriptedModel();
  const host = runtime.createHost();
  const runDir = join(directory, "run");
  await mkdir(runDir);

  const connect = async ({ answer = () => undefined, ...options }: ConnectOptions = {}) => {
    if (options.resume !== undefined) {
      await rm(runDir, { recursive: true, force: true });
      await mkdir(runDir);
    }
    const connection = await adapter.connect({
      cwd,
      host,
      runDir,
      stateDir,
      permissions: "allow-all",
      plan: false,
      model: model.endpoint(runtime.apis[0]),
      options: {},
      limits: Limits.parse({ stopMs: 2000 }),
      ...options,
      env: { [TEST_MARK]: mark, ...options.env },
    });
    const conversation = new Conversation(connection, answer);
    conversations.push(conversation);
    return conversation;
  };
  return {
    adapter,
    tools: runtime.tools,
    model,
    apis: runtime.apis,
    cwd,
    runDir,
    stateDir,
    connect,
    async open(options) {
      const conversation = await connect(options);
      await conversation.connection.ready();
      return conversation;
    },
    survivors: () => survivors(mark),
  };
}
