import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, expectTypeOf, test } from "vitest";
import { openFakeStage } from "../../../test/compat/fake-stage.ts";
import { openFake, paramsOf } from "../../../test/compat/runs.ts";
import type { Adapter } from "../../contracts/adapter.ts";
import { HalyardError } from "../../errors/error.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import {
  type AgentRuntime,
  type AgentRuntimeResult,
  type AgentRuntimeRunParams,
  type CoreParams,
  createAgentRuntime,
  createPiAgentRuntime,
  type MessagingParams,
  type PiRuntimeOptions,
  type StreamingCallbacks,
} from "./index.ts";

describe("a run", () => {
  test("creates a Halyard instance if none is given", async () => {
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

  test("requires no callback [s4.callbacks.optional]", async () => {
    await using stage = await openFakeStage();
    const runtime = await openFake(stage);
    const result = await runtime.run(paramsOf(stage, "think; say a; sh true; say b"));
    expect(result).toMatchObject({ reply: "b", payloads: [{ text: "a" }, { text: "b" }] });
  });

  test("separates reasoning from text [s4.callbacks.reasoning-stream]", async () => {
    await using stage = await openFakeStage();
    const thoughts: string[] = [];
    const { payloads } = await (await openFake(stage)).run({
      ...paramsOf(stage, "think a b c; say d"),
      onReasoningStream: ({ text }) => void thoughts.push(text),
    });
    expect(thoughts).toEqual(["a", "a b", "a b c"]);
    expect(payloads).toEqual([{ text: "d" }]);
  });

  test("rejects with the error that a callback throws, and stops the session", async () => {
    await using stage = await openFakeStage();
    const running = (await openFake(stage)).run({
      ...paramsOf(stage, "say a; wait"),
      onBlockReply: () => Promise.reject(new Error("no receiver")),
    });
    await expect(running).rejects.toThrow("no receiver");
    expect(await stage.halyard.processes()).toEqual([]);
  });

  test("rejects with the runtime's message if the turn fails", async () => {
    await using stage = await openFakeStage();
    const running = (await openFake(stage)).run(paramsOf(stage, "say a; fail it broke"));
    await expect(running).rejects.toMatchObject({ code: "agent_failed", message: "it broke" });
    await expect(running).rejects.toBeInstanceOf(HalyardError);
  });

  test("passes the think level and the system prompt, and stores the origin of its message [s4.params.messaging]", async () => {
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
    const next = { ...paramsOf(stage, "echo-args"), senderId: "u2" };
    const kind = await runtime.run({ ...next, extraSystemPrompt: "Be kind." });
    expect(kind.reply, "each run has its own").toContain("--system-prompt=Be kind.");
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

  test("reports `fresh` if the conversation could not be continued", async () => {
    await using stage = await openFakeStage();
    const runtime = await openFake(stage);
    const labels = { "run.session": "chat-1" };
    const silent = await stage.halyard.start({ runtime: "fake", cwd: stage.cwd, labels });
    await silent.stop();
    const { meta } = await runtime.run(paramsOf(stage, "say b"));
    expect(meta.session).toEqual({
      opened: "fresh",
      reason: expect.stringContaining("it has had no turn"),
    });
    const { meta: next } = await runtime.run(paramsOf(stage, "say c"));
    expect(next).toMatchObject({ sessionId: meta.sessionId, session: { opened: "resumed" } });
  });

  test("rejects as cancelled if another caller stops the session", async () => {
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

  test("is rejected before it starts if its session file is not writable", async () => {
    await using stage = await openFakeStage();
    const running = (await openFake(stage)).run({
      ...paramsOf(stage, "say a"),
      sessionFile: stage.cwd,
    });
    await expect(running).rejects.toMatchObject({
      code: "invalid_input",
      message: `Cannot write the conversation to the sessionFile ${stage.cwd}: it is a directory. Set sessionFile to another path.`,
    });
    expect(await stage.halyard.sessions()).toEqual([]);
  });

  test("returns the turn's result with a warning if the transcript cannot be written", async () => {
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
        warnings: [
          expect.stringMatching(/^The transcript could not be written to .*one: it is a directory/),
        ],
      },
    });
    const failing = runtime.run(breaking("say b; fail it broke", "two"));
    await expect(failing).rejects.toMatchObject({ code: "agent_failed", message: "it broke" });
  });

  test("is rejected if a required parameter is empty [s4.params.core]", async () => {
    await using stage = await openFakeStage();
    const running = (await openFake(stage)).run({ ...paramsOf(stage, "say a"), provider: "" });
    await expect(running).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("provider"),
    });
  });

  test("passes each runtime only its own options [s4.options.isolated] [s4.options.ccsdk]", async () => {
    const received: unknown[] = [];
    const listening = (name: string): Adapter => {
      const fake = fakeAdapter();
      const connect: Adapter["connect"] = (request) => {
        received.push(request.options);
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
    expect(received).toEqual([{ ccsdkOptions: { hooksEnabled: false, maxTurns: 3 } }, {}]);
    type Shared = CoreParams & MessagingParams & StreamingCallbacks;
    expectTypeOf<Extract<keyof Shared, keyof PiRuntimeOptions | "hooksEnabled">>().toBeNever();
  });
});

test("the types match the seed's interface [s4.risk.interface-types] [s4.test.pi-implements]", () => {
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

test("treats null parameters, which a gateway passes, as absent", async () => {
  await using stage = await openFakeStage();
  const runtime = await openFake(stage);
  const nulls: object = {
    ...{ messageChannel: null, groupId: null, senderId: null, sessionKey: null, runId: null },
    ...{ timeoutMs: null, thinkLevel: null, abortSignal: null, extraSystemPrompt: null },
    ...{ onBlockReply: null, onAgentEvent: null, piOptions: null, ccsdkOptions: null },
  };
  const { reply } = await runtime.run({ ...paramsOf(stage, "say a"), ...nulls });
  expect(reply).toBe("a");
});

test("rejects an unknown thinkLevel", async () => {
  await using stage = await openFakeStage();
  const runtime = await openFake(stage);
  const wrong: object = { thinkLevel: "ultra" };
  const running = runtime.run({ ...paramsOf(stage, "say a"), ...wrong });
  await expect(running).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("thinkLevel"),
  });
});

test.runIf(process.platform === "linux").each(["/proc/nowhere/chat.jsonl", "/proc/chat.jsonl"])(
  "rejects a sessionFile that can never exist: %s",
  async (sessionFile) => {
    await using stage = await openFakeStage();
    const runtime = await openFake(stage);
    const running = runtime.run({ ...paramsOf(stage, "say a"), sessionFile });
    await expect(running).rejects.toMatchObject({ code: "invalid_input" });
  },
);

test("accepts numeric sender and group ids, which messengers use", async () => {
  await using stage = await openFakeStage();
  const runtime = await openFake(stage);
  const ids = JSON.parse('{ "senderId": 42, "groupId": -1001234567890 }');
  const { meta } = await runtime.run({ ...paramsOf(stage, "say a"), ...ids });
  expect(await stage.halyard.find(meta.sessionId ?? "")).toMatchObject({
    labels: { "run.senderId": "42", "run.groupId": "-1001234567890" },
  });
});
