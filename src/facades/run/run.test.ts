import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { openFakeStage } from "../../../test/facades/fake-stage.ts";
import type { Adapter } from "../../core/adapter.ts";
import { createDeferred } from "../../core/deferred.ts";
import { HalyardError } from "../../core/error.ts";
import { SessionId } from "../../schema/id.ts";
import type { FacadeStage } from "../../testing/facade-suite/facade-stage.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import {
  type AgentRuntime,
  type AgentRuntimeResult,
  type AgentRuntimeRunParams,
  type CoreParams,
  createAgentRuntime,
  createCcSdkAgentRuntime,
  createPiAgentRuntime,
  type MessagingParams,
  type PiRuntimeOptions,
  type StreamingCallbacks,
} from "./index.ts";

const paramsOf = ({ cwd }: FacadeStage, prompt: string): AgentRuntimeRunParams => ({
  sessionId: "chat-1",
  sessionFile: join(cwd, "..", "chat-1.jsonl"),
  workspaceDir: cwd,
  prompt,
  provider: "somebody",
  model: "some-model",
});

const openFake = (stage: FacadeStage) => createAgentRuntime({}, "main", "fake", stage);

const missing: Adapter = {
  ...fakeAdapter(),
  name: "ccsdk",
  probe: async () => ({ available: false, reason: "it is not there", hint: "install it" }),
};

describe("the factory", () => {
  test("gives Pi for an empty configuration [s4.test.default-pi]", async () => {
    expect(await createAgentRuntime({}, "main")).toMatchObject({ kind: "pi" });
  });

  test("gives what the agent's own entry says", async () => {
    await using stage = await openFakeStage();
    const list = [{ id: "main", runtime: "fake" }];
    const config = { agents: { defaults: { runtime: "pi" }, list } };
    const runtime = await createAgentRuntime(config, "main", undefined, stage);
    expect(runtime).toMatchObject({ kind: "fake", displayName: "Fake agent" });
  });

  test("gives what the defaults say for an agent without an entry [s4.test.global-defaults]", async () => {
    await using stage = await openFakeStage();
    const list = [{ id: "main", runtime: "pi" }, { id: "helper" }];
    const config = { agents: { defaults: { runtime: "fake" }, list } };
    for (const agent of ["helper", "nobody"])
      expect(await createAgentRuntime(config, agent, undefined, stage)).toMatchObject({
        kind: "fake",
      });
  });

  test("gives what is forced, whatever the configuration says [s4.factory.force-kind]", async () => {
    await using stage = await openFakeStage();
    const config = { agents: { list: [{ id: "main", runtime: "pi" }] } };
    expect(await createAgentRuntime(config, "main", "fake", stage)).toMatchObject({ kind: "fake" });
  });

  test.each([
    ["the defaults", { agents: { defaults: { runtime: "ccsdk" } } }, undefined],
    ["the agent's entry", { agents: { list: [{ id: "main", runtime: "ccsdk" }] } }, undefined],
    ["forceKind", {}, "ccsdk"],
  ])(
    "falls back to Pi if the Claude Agent SDK of %s is missing, and the result says so [s4.test.ccsdk-unavailable]",
    async (_, config, forceKind) => {
      await using stage = await openFakeStage([missing, { ...fakeAdapter(), name: "pi" }]);
      const runtime = await createAgentRuntime(config, "main", forceKind, stage);
      expect(runtime.kind).toBe("pi");
      const { meta } = await runtime.run(paramsOf(stage, "say a"));
      expect(meta).toMatchObject({
        runtime: "pi",
        attempts: [
          { runtime: "ccsdk", error: "ccsdk cannot run here: it is not there. install it" },
          { runtime: "pi" },
        ],
      });
    },
  );

  test("rejects an unavailable runtime that is neither the SDK nor a default", async () => {
    await using stage = await openFakeStage([{ ...missing, name: "absent" }]);
    const config = { agents: { list: [{ id: "main", runtime: "absent" }] } };
    const expected = { code: "runtime_unavailable" };
    await expect(createAgentRuntime(config, "main", undefined, stage)).rejects.toMatchObject(
      expected,
    );
    await expect(createAgentRuntime({}, "main", "absent", stage)).rejects.toMatchObject(expected);
  });
});

describe("createCcSdkAgentRuntime", () => {
  test("returns a runtime of kind ccsdk [s4.factory.ccsdk]", async () => {
    expect(createCcSdkAgentRuntime()).toMatchObject({
      kind: "ccsdk",
      displayName: "CCSDK Agent",
    });
  });

  test.each([
    ["its module throws", '{"main":"sdk.mjs","version":"1.2.3"}', /cannot be loaded: bad build/],
    ["its manifest is cut off", '{"main":', /the Claude Agent SDK is not installed/],
  ])(
    "loads the SDK in the first run, and runs on Pi if %s [s4.factory.lazy] [s4.factory.fallback]",
    async (_, manifest, reason) => {
      await using stage = await openFakeStage();
      const home = join(stage.cwd, "..", "own");
      const sdk = join(home, "runtimes/ccsdk/node_modules/@anthropic-ai/claude-agent-sdk");
      await mkdir(sdk, { recursive: true });
      await writeFile(join(sdk, "package.json"), manifest);
      await writeFile(
        join(sdk, "sdk.mjs"),
        'globalThis.loads = (globalThis.loads ?? 0) + 1; throw new Error("bad build");',
      );
      const create = { home, env: {}, adapters: [{ ...fakeAdapter(), name: "pi" }] };
      const config = { agents: { list: [{ id: "main", runtime: "ccsdk" }] } };
      const runtimes = [
        createCcSdkAgentRuntime({}, { create }),
        await createAgentRuntime(config, "main", undefined, { create }),
      ];
      expect(globalThis).not.toHaveProperty("loads");
      onTestFinished(() => void Reflect.deleteProperty(globalThis, "loads"));
      for (const runtime of runtimes) {
        const { reply, meta } = await runtime.run(paramsOf(stage, "say a"));
        expect(reply).toBe("a");
        expect(meta).toMatchObject({
          runtime: "pi",
          attempts: [{ runtime: "ccsdk", error: expect.stringMatching(reason) }, { runtime: "pi" }],
        });
      }
    },
  );
});

describe("a run", () => {
  test("needs no Halyard, makes one for itself, and leaves nothing of it running", async () => {
    await using stage = await openFakeStage();
    const create = { home: join(stage.cwd, "..", "own"), env: {}, adapters: [fakeAdapter()] };
    const runtime = await createAgentRuntime({}, "main", "fake", { create });
    const params = paramsOf(stage, "say a");
    const [one, two] = await Promise.all([
      runtime.run(params),
      runtime.run({ ...params, sessionId: "chat-2", prompt: "say b" }),
    ]);
    expect([one.reply, two.reply]).toEqual(["a", "b"]);
  });

  test("needs no callback [s4.callbacks.optional]", async () => {
    await using stage = await openFakeStage();
    const runtime = await openFake(stage);
    const result = await runtime.run(paramsOf(stage, "think; say a; sh true; say b"));
    expect(result).toMatchObject({ reply: "b", payloads: [{ text: "a" }, { text: "b" }] });
  });

  test("tells what is thought apart from what is said [s4.callbacks.reasoning-stream]", async () => {
    await using stage = await openFakeStage();
    const thoughts: string[] = [];
    const { payloads } = await (await openFake(stage)).run({
      ...paramsOf(stage, "think a b c; say d"),
      onReasoningStream: ({ text }) => void thoughts.push(text),
    });
    expect(thoughts).toEqual(["a", "a b", "a b c"]);
    expect(payloads).toEqual([{ text: "d" }]);
  });

  test("ends where a callback fails, with its error, and leaves nothing running", async () => {
    await using stage = await openFakeStage();
    const running = (await openFake(stage)).run({
      ...paramsOf(stage, "say a; wait"),
      onBlockReply: () => Promise.reject(new Error("nobody to send it to")),
    });
    await expect(running).rejects.toThrow("nobody to send it to");
    expect(await stage.halyard.processes()).toEqual([]);
  });

  test("rejects where the turn fails, in the runtime's own words", async () => {
    await using stage = await openFakeStage();
    const running = (await openFake(stage)).run(paramsOf(stage, "say a; fail it broke"));
    await expect(running).rejects.toMatchObject({ code: "agent_failed", message: "it broke" });
    await expect(running).rejects.toBeInstanceOf(HalyardError);
  });

  test("keeps where its message came from, and what it was to think and to know [s4.params.messaging]", async () => {
    await using stage = await openFakeStage();
    const runtime = await openFake(stage);
    const { reply } = await runtime.run({
      ...paramsOf(stage, "echo-args"),
      messageChannel: "telegram",
      senderId: "u1",
      groupId: "g1",
      thinkLevel: "xhigh",
      extraSystemPrompt: "Be brief.",
    });
    expect(reply).toMatch(/--model=some-model --reasoning=max --system-prompt=Be brief\./);
    await runtime.run({ ...paramsOf(stage, "say b"), senderId: "u2" });
    const sessions = await stage.halyard.sessions();
    expect(sessions.map(({ labels }) => labels)).toEqual([
      {
        "run.session": "chat-1",
        "run.messageChannel": "telegram",
        "run.groupId": "g1",
        "run.senderId": "u2",
      },
    ]);
  });

  test("says so where the conversation could not be continued", async () => {
    await using stage = await openFakeStage();
    const runtime = await openFake(stage);
    const labels = { "run.session": "chat-1" };
    const silent = await stage.halyard.start({ runtime: "fake", cwd: stage.cwd, labels });
    await silent.stop();
    const { meta } = await runtime.run(paramsOf(stage, "say b"));
    expect(meta.session).toEqual({
      opened: "fresh",
      reason: expect.stringContaining("nothing was said in it yet"),
    });
    const { meta: next } = await runtime.run(paramsOf(stage, "say c"));
    expect(next).toMatchObject({ sessionId: meta.sessionId, session: { opened: "resumed" } });
  });

  test("that others end is not aborted: it rejects as cancelled", async () => {
    await using stage = await openFakeStage();
    const { halyard } = stage;
    const running = (await openFake(stage)).run({
      ...paramsOf(stage, "say a; wait"),
      onBlockReply: async () => {
        for (const { id } of await halyard.sessions()) await halyard.stop(id, "enough");
      },
    });
    await expect(running).rejects.toMatchObject({ code: "cancelled" });
  });

  test("is refused where its session file cannot be written, before anything is started", async () => {
    await using stage = await openFakeStage();
    const running = (await openFake(stage)).run({
      ...paramsOf(stage, "say a"),
      sessionFile: stage.cwd,
    });
    await expect(running).rejects.toMatchObject({
      code: "invalid_input",
      message: `sessionFile: ${stage.cwd} cannot be written: it is a directory. Name a file that can be, for the conversation is kept in it`,
    });
    expect(await stage.halyard.sessions()).toEqual([]);
  });

  test("is what its turn was, even where the transcript cannot be written behind it", async () => {
    await using stage = await openFakeStage();
    const runtime = await openFake(stage);
    const breaking = (prompt: string, name: string): AgentRuntimeRunParams => {
      const sessionFile = join(stage.cwd, name);
      const onBlockReply = () => mkdir(sessionFile);
      return { ...paramsOf(stage, prompt), sessionFile, onBlockReply };
    };
    expect(await runtime.run(breaking("say a", "one"))).toMatchObject({
      reply: "a",
      meta: {
        warnings: [expect.stringMatching(/^the transcript could not be written to .*one: EISDIR/)],
      },
    });
    const failing = runtime.run(breaking("say b; fail it broke", "two"));
    await expect(failing).rejects.toMatchObject({ code: "agent_failed", message: "it broke" });
  });

  test("is refused without what every run needs [s4.params.core]", async () => {
    await using stage = await openFakeStage();
    const running = (await openFake(stage)).run({ ...paramsOf(stage, "say a"), provider: "" });
    await expect(running).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("provider"),
    });
  });

  test("gives each runtime its own options and no others [s4.options.isolated] [s4.options.ccsdk]", async () => {
    const heard: unknown[] = [];
    const listening = (name: string): Adapter => {
      const fake = fakeAdapter();
      const connect: Adapter["connect"] = (request) => {
        heard.push(request.options);
        return fake.connect(request);
      };
      return { ...fake, name, connect };
    };
    await using stage = await openFakeStage([listening("ccsdk"), listening("other")]);
    const bags = {
      piOptions: { enforceFinalTag: true },
      ccsdkOptions: { hooksEnabled: false, maxTurns: 3 },
    };
    for (const kind of ["ccsdk", "other"]) {
      const runtime = await createAgentRuntime({}, "main", kind, stage);
      const { reply } = await runtime.run({ ...paramsOf(stage, "say a"), ...bags });
      expect(reply).toBe("a");
    }
    expect(heard).toEqual([{ ccsdkOptions: { hooksEnabled: false, maxTurns: 3 } }, {}]);
    type Shared = CoreParams & MessagingParams & StreamingCallbacks;
    expectTypeOf<Extract<keyof Shared, keyof PiRuntimeOptions | "hooksEnabled">>().toBeNever();
  });
});

describe("runs of one conversation", () => {
  test("wait for each other, whichever runtime on the same Halyard they are of", async () => {
    await using stage = await openFakeStage();
    const runtimes = [await openFake(stage), await openFake(stage)];
    const runs = runtimes.map((runtime, at) => runtime.run(paramsOf(stage, `say ${at}`)));
    const [one, two] = await Promise.all(runs);
    expect(one).toMatchObject({ reply: "0", meta: { session: { opened: "started" } } });
    expect(two).toMatchObject({
      reply: "1",
      meta: { sessionId: one?.meta.sessionId, session: { opened: "resumed" }, aborted: false },
    });
  });

  test("wait for each other where each has a Halyard of its own", async () => {
    await using stage = await openFakeStage();
    const create = { home: join(stage.cwd, "..", "own"), env: {}, adapters: [fakeAdapter()] };
    const open = () => createAgentRuntime({}, "main", "fake", { create });
    const runtimes = [await open(), await open()];
    const runs = runtimes.map((runtime, at) => runtime.run(paramsOf(stage, `say ${at}`)));
    const [one, two] = await Promise.all(runs);
    expect(two).toMatchObject({ reply: "1", meta: { sessionId: one?.meta.sessionId } });
  });

  test.each([
    ["of one session, whatever their keys are", { sessionKey: "a" }, { sessionKey: "b" }],
    ["of one key, whatever their sessions are", { sessionId: "chat-2" }, { sessionKey: "chat-2" }],
  ])("wait for each other where they are %s", async (_, first, second) => {
    await using stage = await openFakeStage();
    const [runtime, other] = [await openFake(stage), await openFake(stage)];
    const heard: string[] = [];
    const run = (on: AgentRuntime, name: string, ids: Partial<CoreParams>) =>
      on.run({
        ...paramsOf(stage, `say begin ${name}; sh sleep 0.1; say end ${name}`),
        onBlockReply: ({ text }) => void heard.push(text),
        ...ids,
      });
    await Promise.all([run(runtime, "one", first), run(other, "two", second)]);
    expect(heard).toEqual(["begin one", "end one", "begin two", "end two"]);
  });

  test("are aborted at once while they wait, and never begun", async () => {
    await using stage = await openFakeStage();
    const runtime = await openFake(stage);
    const [first, second] = [new AbortController(), new AbortController()];
    const begun = createDeferred<void>();
    const running = runtime.run({
      ...paramsOf(stage, "say la; wait"),
      abortSignal: first.signal,
      onBlockReply: () => begun.resolve(),
    });
    await begun.promise;
    const next = { ...paramsOf(stage, "say b"), runId: "r", abortSignal: second.signal };
    const waiting = runtime.run(next);
    second.abort();
    expect(await waiting).toEqual(await runtime.run(next)); // aborted before it was called
    expect(await waiting).toEqual({
      reply: "",
      payloads: [],
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      meta: {
        runtime: "fake",
        provider: "somebody",
        model: "some-model",
        runId: "r",
        session: { opened: "none" },
        durationMs: 0,
        aborted: true,
        attempts: [],
      },
    });
    first.abort();
    const { meta } = await running;
    expect(meta.aborted).toBe(true);
    await runtime.run(paramsOf(stage, "say c"));
    const session = await stage.halyard.find(SessionId.parse(meta.sessionId));
    expect(session?.turns).toBe(2);
  });
});

test("the types are those of the interface [s4.risk.interface-types] [s4.test.pi-implements]", () => {
  const pi: AgentRuntime = createPiAgentRuntime();
  expect(Object.entries({ ...pi, run: typeof pi.run })).toEqual([
    ["kind", "pi"],
    ["displayName", "Pi Agent"],
    ["run", "function"],
  ]);
  expectTypeOf<AgentRuntime["run"]>().parameter(0).toEqualTypeOf<AgentRuntimeRunParams>();
  expectTypeOf<AgentRuntime["run"]>().returns.resolves.toEqualTypeOf<AgentRuntimeResult>();
  expectTypeOf<AgentRuntimeResult>().toMatchTypeOf<{
    reply: string;
    payloads: readonly { text: string }[];
    usage: { input: number; output: number };
    meta: {
      runtime: string;
      provider: string;
      model: string;
      sessionId?: string;
      durationMs: number;
      aborted: boolean;
      attempts: readonly unknown[];
    };
  }>();
  expectTypeOf<{ prompt: string }>().not.toMatchTypeOf<AgentRuntimeRunParams>();
});
