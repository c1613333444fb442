import { join } from "node:path";
import { describe, expect, expectTypeOf, test } from "vitest";
import { openFakeRuntime } from "../../../test/compat/fake-runtime.ts";
import { openFakeStage } from "../../../test/compat/fake-stage.ts";
import { createDeferred } from "../../async/deferred.ts";
import { HalyardError } from "../../errors/error.ts";
import { collect, until } from "../../testing/compat-suite/compat-stage.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { toWaitResult } from "./executor.ts";
import type { StreamEvent, StreamingExecutor } from "./index.ts";
import * as agent from "./index.ts";

describe("an executor", () => {
  test("has the interface's nine members and both session ids", async () => {
    await using stage = await openFakeStage();
    await using runtime = await openFakeRuntime(stage);
    const executor = await runtime.executeStreaming({ prompt: "say a" });
    await executor.done;
    const [info] = await stage.halyard.sessions();
    expect(executor.sessionID).toBe(info?.id);
    expect(executor.runtimeSessionID).toBe(info?.runtimeSessionId ?? "the id of the runtime");
    expectTypeOf<StreamingExecutor>().toMatchTypeOf<{
      sendMessage: (message: string) => Promise<void>;
      cancel: () => Promise<void>;
      events: AsyncIterable<StreamEvent>;
      errors: AsyncIterable<Error>;
      done: Promise<void>;
      wait: () => Promise<{ exitCode: number; error: Error | undefined }>;
      close: () => Promise<void>;
      runtimeSessionID: string | undefined;
      isClosed: boolean;
    }>();
  });

  test("yields seven types of events, in order, to every reader", async () => {
    await using stage = await openFakeStage();
    await using runtime = await openFakeRuntime(stage);
    const prompt = "think; say a; sh echo out; sh exit 3; fail it broke";
    const executor = await runtime.executeStreaming({ prompt });
    await executor.wait();
    await executor.close();
    const [one, two] = await Promise.all([collect(executor.events), collect(executor.events)]);
    expect(one).toEqual(two);
    expect(new Set(one.map(({ type }) => type))).toEqual(
      new Set(["system", "delta", "message", "tool_call", "tool_result", "completion", "error"]),
    );
    expect(one.map(({ seq }) => seq)).toEqual(one.map((_, index) => index + 1));
    const call = { toolName: "shell", toolId: expect.any(String) };
    expect(
      one.flatMap((event) => {
        if (event.type === "tool_call") return [event.parameters];
        return event.type === "tool_result" ? [event.isError] : [];
      }),
    ).toEqual([{ command: "echo out" }, false, { command: "exit 3" }, true]);
    for (const event of [
      { type: "message", role: "user", text: prompt },
      { type: "delta", text: "a" },
      { type: "message", role: "assistant", text: "a" },
      { type: "tool_call", ...call, parameters: { command: "echo out" } },
      { type: "tool_result", ...call, value: "out\n", isError: false },
      { type: "error", text: "it broke" },
      { type: "completion", status: "failed", finalText: "a" },
    ])
      expect(one).toContainEqual(expect.objectContaining(event));
  });

  test("yields requests and responses as system events", async () => {
    await using stage = await openFakeStage();
    await using runtime = await openFakeRuntime(stage);
    const executor = await runtime.executeStreaming({ prompt: "ask", autonomy: "medium" });
    await executor.wait();
    await executor.close();
    const events = await collect(executor.events);
    const subtypes = events.flatMap((event) => (event.type === "system" ? [event.subtype] : []));
    expect(subtypes).toEqual(expect.arrayContaining(["request", "response"]));
  });

  test("does not count a message that it rejects as its last turn", async () => {
    await using stage = await openFakeStage();
    await using runtime = await openFakeRuntime(stage);
    const executor = await runtime.executeStreaming({ prompt: "say a" });
    const [sent, waited] = await Promise.allSettled([executor.sendMessage(" "), executor.wait()]);
    expect(sent).toMatchObject({ reason: { code: "invalid_input" } });
    expect(waited).toMatchObject({ value: { exitCode: 0, error: undefined } });
  });

  test("has event types with the seed's names [s0.events.type-names]", () => {
    expect([
      agent.EventTypeSystem,
      agent.EventTypeMessage,
      agent.EventTypeDelta,
      agent.EventTypeToolCall,
      agent.EventTypeToolResult,
      agent.EventTypeCompletion,
      agent.EventTypeError,
    ]).toEqual(["system", "message", "delta", "tool_call", "tool_result", "completion", "error"]);
  });

  test("resolves `done` when its turns end, and stays open", async () => {
    await using stage = await openFakeStage();
    await using runtime = await openFakeRuntime(stage);
    const executor = await runtime.executeStreaming({ prompt: "say a" });
    await executor.done;
    expect(await executor.wait()).toEqual({ exitCode: 0, error: undefined });
    expect(executor.isClosed).toBe(false);
    await executor.sendMessage("fail it broke");
    await executor.done;
    const { exitCode, error } = await executor.wait();
    expect([exitCode, error]).toEqual([1, expect.objectContaining({ message: "it broke" })]);
  });

  test("yields errors separately from events, and closes when the agent exits", async () => {
    await using stage = await openFakeStage();
    await using runtime = await openFakeRuntime(stage);
    const executor = await runtime.executeStreaming({ prompt: "fail it broke" });
    expect(await executor.wait()).toMatchObject({ exitCode: 1 });
    await executor.sendMessage("die 7");
    expect(await executor.wait()).toMatchObject({ exitCode: 1 });
    await executor.done;
    const errors = await collect(executor.errors);
    expect(errors).toEqual([expect.any(HalyardError), expect.any(HalyardError)]);
    expect(errors).toMatchObject([{ message: "it broke" }, { code: "agent_exited" }]);
    expect(executor.isClosed).toBe(true);
    await expect(executor.sendMessage("say a")).rejects.toMatchObject({ code: "session_stopped" });
  });

  test.each([
    ["not_signed_in", 1],
    ["agent_exited", 1],
    ["timed_out", 124],
  ] as const)("returns the documented exit code if the turn fails with %s", (code, exitCode) => {
    const usage = { inputTokens: 0, outputTokens: 0 };
    const error = { code, message: "it broke", retryable: false };
    const turn = { text: "", stopReason: "error", usage, durationMs: 1 };
    const outcome = { status: "failed", error, ...turn } as const;
    expect(toWaitResult(outcome)).toMatchObject({ exitCode, error: { code, message: "it broke" } });
  });

  test("can be closed repeatedly at any time, and stops all processes", async () => {
    await using stage = await openFakeStage();
    await using runtime = await openFakeRuntime(stage);
    const executor = await runtime.executeStreaming({ prompt: "wait" });
    expect(executor.isClosed).toBe(false);
    const closing = [executor.close(), executor.close()];
    expect(executor.isClosed).toBe(true);
    await Promise.all(closing);
    await executor.done;
    expect(await stage.halyard.processes()).toEqual([]);
    expect(await executor.wait()).toMatchObject({ exitCode: 130 });
  });

  test("yields all events to readers that are slow or that start after the runtime is closed", async () => {
    const cwd = await temporaryDirectory();
    const create = { home: join(cwd, "home"), env: {}, adapters: [fakeAdapter()] };
    const runtime = agent.newRuntime({ server: { agent_runtime: "fake" } }, { create });
    const executor = await runtime.executeStreaming({ prompt: "say a b c", workingDir: cwd });
    const closed = createDeferred<void>();
    const readSlowly = async () => {
      const types: string[] = [];
      for await (const event of executor.events) {
        types.push(event.type === "system" ? event.subtype : event.type);
        await closed.promise;
      }
      return types;
    };
    const reading = readSlowly();
    await executor.wait();
    await runtime.close();
    closed.resolve();
    const types = await reading;
    expect(types).toEqual(expect.arrayContaining(["delta", "message", "completion"]));
    expect(types.at(-1)).toBe("session_stopped");
    expect(await collect(executor.events)).toHaveLength(types.length);
  });

  test("accepts messages after a turn is cancelled with keepOpen", async () => {
    await using stage = await openFakeStage();
    await using runtime = await openFakeRuntime(stage);
    const executor = await runtime.executeStreaming({ prompt: "say la; wait" });
    await until(executor.events, ({ type }) => type === "delta");
    await executor.cancel({ keepOpen: true });
    expect(executor.isClosed).toBe(false);
    await executor.sendMessage("say still here");
    expect(await executor.wait()).toEqual({ exitCode: 0, error: undefined });
  });

  test("yields only its own session's events, including those of a turn that `execute` runs [s2.scope.streaming-first]", async () => {
    await using stage = await openFakeStage();
    await using runtime = await openFakeRuntime(stage);
    const [one, two] = await Promise.all([
      runtime.executeStreaming({ prompt: "say one" }),
      runtime.executeStreaming({ prompt: "say two" }),
    ]);
    await Promise.all([one.wait(), two.wait()]);
    const { sessionID } = one;
    await runtime.execute({ prompt: "say three", sessionID });
    expect(one.isClosed).toBe(false);
    await runtime.close();
    const said = async (executor: StreamingExecutor) =>
      (await collect(executor.events)).flatMap((event) =>
        event.type === "message" && event.role === "assistant" ? [event.text] : [],
      );
    expect(await said(one)).toEqual(["one", "three"]);
    expect(await said(two)).toEqual(["two"]);
  });
});
