import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { Adapter, ConnectRequest } from "../../core/adapter.ts";
import type { RequestDraft } from "../../core/draft.ts";
import type { Answer } from "../../schema/permission.ts";
import { survivors, TEST_MARK } from "../host-suite/survivors.ts";
import { sampleRequest } from "../sample-request.ts";
import { type ScriptedModel, startScriptedModel } from "../scripted-model.ts";
import { Conversation, leaveOpen } from "./conversation.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";

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

export async function createStage(runtime: RuntimeUnderTest): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), "halyard-adapter-"));
  const conversations: Conversation[] = [];
  const cwd = join(directory, "work");
  const home = join(directory, "home");
  const mark = randomUUID();
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home };
  const adapter = runtime.createAdapter({ env, directory });
  const host = runtime.createHost({ directory });
  const model = await startScriptedModel();
  let places: Places | undefined;
  let count = 0;
  for (const part of [cwd, home]) await mkdir(part);

  const connect: Stage["connect"] = async ({ answer = leaveOpen, ...options } = {}) => {
    places = await placesOf(options, { directory, number: count++, last: places });
    const request = sampleRequest({
      cwd,
      host,
      ...places,
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

type Places = Pick<ConnectRequest, "runDir" | "stateDir">;

/** Where a session writes: in places of its own, or in those of the last one where it goes on with that. */
async function placesOf(
  { attach, resume }: ConnectOptions,
  { directory, number, last }: { directory: string; number: number; last: Places | undefined },
): Promise<Places> {
  if (attach !== undefined && last !== undefined) return last;
  const runDir = join(directory, "run", `${number}`);
  const ownStateDir = join(directory, "state", `${number}`);
  const stateDir = resume === undefined ? ownStateDir : (last?.stateDir ?? ownStateDir);
  for (const place of [runDir, stateDir]) await mkdir(place, { recursive: true });
  return { runDir, stateDir };
}
