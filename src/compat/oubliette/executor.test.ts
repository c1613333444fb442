import { describe, expect, expectTypeOf, test } from "vitest";
import { openFakeRuntime } from "../../../test/compat/fake-runtime.ts";
import { openFakeStage } from "../../../test/compat/fake-stage.ts";
import { HalyardError } from "../../errors/error.ts";
import { collect, until } from "../../testing/compat-suite/compat-stage.ts";
import type { StreamEvent, StreamingExecutor } from "./index.ts";
import * as agent from "./index.ts";

describe("an executor", () => {
  test("has the nine members of the interface and both session ids [s0.streaming.interface] [s0.streaming.runtime-session-id] [s3.executor.runtime-session-id]", async () => {
    await using stage = await openFakeStage();
    await using runtime = await openFakeRuntime(stage);
    const executor = await runtime.executeStreaming({ prompt: "say a" });
    const [info] = await stage.halyard.sessions();
    expect(executor.sessionID).toBe(info?.id);
    expect(executor.runtimeSessionID).toBe(info?.runtimeSessionId);
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

  test("yields events of seven types, in order, to every reader [s0.streaming.events] [s3.executor.events] [s3.events.seven-types]", async () => {
    await using stage = await openFakeStage();
    await using runtime = await openFakeRuntime(stage);
    const prompt = "think; say a; sh true; ask; fail it broke";
    const executor = await runtime.executeStreaming({ prompt, autonomy: "medium" });
    await executor.wait();
    await executor.close();
    const [one, two] = await Promise.all([collect(executor.events), collect(executor.events)]);
    expect(one).toEqual(two);
    expect(new Set(one.map(({ type }) => type))).toEqual(
      new Set(["system", "delta", "message", "tool_call", "tool_result", "completion", "error"]),
    );
    expect(one.map(({ seq }) => seq)).toEqual(one.map((_, index) => index + 1));
    const asked = one.flatMap((event) => (event.type === "system" ? [event.subtype] : []));
    expect(asked).toEqual(expect.arrayContaining(["request", "response"]));
  });

  test("does not count a message that it rejects as its last turn", async () => {
    await using stage = await openFakeStage();
    await using runtime = await openFakeRuntime(stage);
    const executor = await runtime.executeStreaming({ prompt: "say a" });
    const [sent, waited] = await Promise.allSettled([executor.sendMessage(" "), executor.wait()]);
    expect(sent).toMatchObject({ reason: { code: "invalid_input" } });
    expect(waited).toMatchObject({ value: { exitCode: 0, error: undefined } });
  });

  test("names its event types [s0.events.type-names]", () => {
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

  test("is done when its turns complete, and stays open", async () => {
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

  test("yields errors separately from events, and the exit code at the end", async () => {
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

  test("accepts messages after a cancelled turn with keepOpen", async () => {
    await using stage = await openFakeStage();
    await using runtime = await openFakeRuntime(stage);
    const executor = await runtime.executeStreaming({ prompt: "say la; wait" });
    await until(executor.events, ({ type }) => type === "delta");
    await executor.cancel({ keepOpen: true });
    expect(executor.isClosed).toBe(false);
    await executor.sendMessage("say still here");
    expect(await executor.wait()).toEqual({ exitCode: 0, error: undefined });
  });

  test("is independent of other executors, and stays open after a collected turn", async () => {
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
