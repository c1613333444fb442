import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { Adapter, ConnectRequest } from "../../contracts/adapter.ts";
import type { RequestDraft } from "../../contracts/event-draft.ts";
import type { Host } from "../../contracts/host.ts";
import type { Answer } from "../../schema/permission.ts";
import { survivors, TEST_MARK } from "../host-suite/survivors.ts";
import { sampleRequest } from "../sample-request.ts";
import { type ScriptedModel, startScriptedModel } from "../scripted-model.ts";
import { Conversation, leaveOpen } from "./conversation.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";

/** Options for a connection to the runtime under test. */
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
      | "fork"
      | "attach"
      | "env"
      | "tools"
      | "onNativeMessage"
      | "options"
    >
  > {
  /** Answers requests. By default, requests stay open. */
  answer?(request: RequestDraft): Answer | undefined;
}

/**
 * The environment of one test: a runtime with its own directories. Disposing it deletes the directories, kills processes
 * that are left, and fails the test if there were any.
 */
export interface Stage extends AsyncDisposable {
  readonly adapter: Adapter;
  readonly tools: RuntimeUnderTest["tools"];
  readonly model: ScriptedModel;
  readonly apis: RuntimeUnderTest["apis"];
  /** The directory that contains all files that the runtime writes. */
  readonly directory: string;
  readonly cwd: string;
  readonly host: Host;
  /** Returns the state directory of the session that was opened last, or an empty string if there is none. */
  stateDir(): string;
  /** Connects without waiting for the runtime. */
  connect(options?: ConnectOptions): Promise<Conversation>;
  /** Connects and waits until the runtime accepts messages. */
  open(options?: ConnectOptions): Promise<Conversation>;
  /**
   * Returns the pids of processes that this test started and that still run. Their environment contains the test's
   * mark.
   */
  survivors(): number[];
  readonly mark: Readonly<Record<string, string>>;
}

/** Creates a test's stage. */
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
  let paths: SessionPaths | undefined;
  let count = 0;
  for (const part of [cwd, home]) await mkdir(part);

  const connect: Stage["connect"] = async ({ answer = leaveOpen, ...options } = {}) => {
    paths = await pathsOf(options, { directory, number: count++, last: paths });
    const request = sampleRequest({
      cwd,
      host,
      ...paths,
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
    host,
    stateDir: () => paths?.stateDir ?? "",
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
      await rm(directory, { recursive: true, force: true });
      const left = survivors(mark);
      for (const pid of left) process.kill(pid, "SIGKILL");
      await model.close();
      expect(left, "processes left behind").toEqual([]);
    },
  };
}

type SessionPaths = Pick<ConnectRequest, "runDir" | "stateDir">;

/**
 * Returns the directories of a session. An attach reuses both directories of the last session; a resume reuses its
 * state directory.
 */
async function pathsOf(
  { attach, resume }: ConnectOptions,
  {
    directory,
    number,
    last,
  }: { directory: string; number: number; last: SessionPaths | undefined },
): Promise<SessionPaths> {
  if (attach !== undefined && last !== undefined) return last;
  const runDir = join(directory, "run", `${number}`);
  const ownStateDir = join(directory, "state", `${number}`);
  const stateDir = resume === undefined ? ownStateDir : (last?.stateDir ?? ownStateDir);
  for (const path of [runDir, stateDir]) await mkdir(path, { recursive: true });
  return { runDir, stateDir };
}
