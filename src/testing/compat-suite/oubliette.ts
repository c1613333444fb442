import { describe, expect, test } from "vitest";
import { newRuntime } from "../../compat/oubliette/index.ts";
import { collect, type FacadeStage, type OpenFacadeStage, until } from "./compat-stage.ts";

/** Tests a runtime against the contract of `halyard/compat/oubliette`. */
export function describeAgentFacade(open: OpenFacadeStage): void {
  describe("halyard/compat/oubliette", () => {
    test("streams messages, then the completion, and runs another turn", async () => {
      await using stage = await open();
      const { prompts } = stage;
      await using runtime = await initialized(stage);
      const [first, second] = [prompts.say("Hello."), prompts.say("Hello again.")];
      const executor = await runtime.executeStreaming({ prompt: first });
      await until(executor.events, ({ type }) => type === "completion");
      expect(await executor.wait()).toEqual({ exitCode: 0, error: undefined });
      await executor.sendMessage(second);
      expect(await executor.wait()).toEqual({ exitCode: 0, error: undefined });
      await executor.close();
      const events = await collect(executor.events);
      const received = events.flatMap((event) => {
        if (event.type === "message") return [[event.role, event.text]];
        return event.type === "completion" ? [[event.status, event.finalText]] : [];
      });
      expect(received).toEqual([
        ["user", first],
        ["assistant", "Hello."],
        ["completed", "Hello."],
        ["user", second],
        ["assistant", "Hello again."],
        ["completed", "Hello again."],
      ]);
      expect(events.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq).toSorted(byNumber));
    });

    test("reports a tool call with its name before the result [s2.d2.consumers-see-events]", async () => {
      await using stage = await open();
      await using runtime = await initialized(stage);
      const prompt = stage.prompts.shell("echo it works");
      const executor = await runtime.executeStreaming({ prompt });
      expect(await executor.wait()).toEqual({ exitCode: 0, error: undefined });
      await executor.close();
      const tools = (await collect(executor.events)).flatMap((event) =>
        event.type === "tool_call" || event.type === "tool_result" ? [event] : [],
      );
      expect(tools.map(({ type }) => type)).toEqual(["tool_call", "tool_result"]);
      const [call, result] = tools;
      expect(result).toMatchObject({
        toolId: call?.toolId,
        toolName: call?.toolName,
        value: expect.stringContaining("it works"),
        isError: false,
      });
    });

    test("closes the executor after it has cancelled the running turn", async () => {
      await using stage = await open();
      await using runtime = await initialized(stage);
      const executor = await runtime.executeStreaming({ prompt: stage.prompts.sing() });
      await until(executor.events, ({ type }) => type === "delta");
      await executor.cancel();
      await executor.done;
      expect(executor.isClosed).toBe(true);
      expect(await executor.wait()).toMatchObject({ exitCode: 130 });
      const ends = (await collect(executor.events)).filter(({ type }) => type === "completion");
      expect(ends).toMatchObject([{ status: "cancelled" }]);
    });

    test("runs a turn in one call, and resumes the session by either of its ids [s0.runtime.execute] [s3.runtime.execute] [s2.d4.continuation]", async () => {
      await using stage = await open();
      await using runtime = await initialized(stage);
      const first = stage.prompts.say("I will.");
      const response = await runtime.execute({ prompt: first });
      const sessions = await stage.halyard.sessions({ cwd: stage.cwd });
      const usage = sessions.find(({ id }) => id === response.sessionID)?.usage;
      expect(usage?.outputTokens).toBeGreaterThan(0);
      expect(response).toEqual({
        sessionID: expect.stringMatching(/^ses_/),
        runtimeSessionID: expect.any(String),
        result: "I will.",
        tokens: { input: usage?.inputTokens, output: usage?.outputTokens },
        duration: expect.any(Number),
        turns: 1,
      });
      const { prompt, answer } = stage.prompts.recall(first);
      const { sessionID, runtimeSessionID } = response;
      const again = await runtime.execute({ prompt, sessionID });
      expect(again).toMatchObject({ sessionID, runtimeSessionID, result: answer, turns: 2 });
      const third = await runtime.execute({ prompt, sessionID: runtimeSessionID });
      expect(third).toMatchObject({ sessionID, runtimeSessionID, result: answer, turns: 3 });
    });

    test("answers a ping until the runtime is closed, and stops its sessions on close", async () => {
      await using stage = await open();
      const runtime = await initialized(stage);
      const executor = await runtime.executeStreaming({ prompt: stage.prompts.say("Hello.") });
      await executor.wait();
      await runtime.ping();
      await runtime.close();
      await runtime.close();
      expect(executor.isClosed).toBe(true);
      const sessions = await stage.halyard.sessions({ cwd: stage.cwd });
      expect(sessions.find(({ id }) => id === executor.sessionID)?.state).toBe("stopped");
      expect(sessions.filter(({ state }) => state !== "stopped")).toEqual([]);
      await expect(runtime.ping()).rejects.toThrow("closed");
    });
  });
}

async function initialized({ halyard, runtime: name, cwd, model }: FacadeStage) {
  const runtime = newRuntime({ server: { agent_runtime: name } }, { halyard });
  await runtime.initialize({ workingDir: cwd, ...(model && { model }) });
  return runtime;
}

const byNumber = (a: number, b: number): number => a - b;
