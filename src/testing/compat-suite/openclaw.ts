import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type AgentRuntimeRunParams,
  createAgentRuntime,
  openSessionFile,
} from "../../compat/openclaw/index.ts";
import type { FacadeStage, OpenFacadeStage } from "./compat-stage.ts";

/** Tests a runtime against the contract of `halyard/compat/openclaw`. */
export function describeRunFacade(open: OpenFacadeStage): void {
  describe("halyard/compat/openclaw", () => {
    test("runs a turn, calls the callbacks in order, and returns the documented result", async () => {
      await using stage = await open();
      const runtime = await runtimeOf(stage);
      const received: string[] = [];
      const recordCall = (name: string) => async (payload: { text?: string; type?: string }) => {
        await new Promise((resolve) => setImmediate(resolve)); // simulates a slow callback
        received.push(`${name} ${payload.text ?? payload.type}`);
      };
      const result = await runtime.run({
        ...paramsOf(stage, stage.prompts.say("Hello.")),
        onAgentEvent: recordCall("event"),
        onPartialReply: recordCall("partial"),
        onBlockReply: recordCall("block"),
      });
      expect(result).toEqual({
        reply: "Hello.",
        payloads: [{ text: "Hello." }],
        usage: expect.objectContaining({ input: expect.any(Number), total: expect.any(Number) }),
        meta: {
          runtime: stage.runtime,
          provider: "gateway",
          model: "scripted",
          runId: "run-1",
          sessionId: expect.stringMatching(/^ses_/),
          runtimeSessionId: expect.any(String),
          session: { opened: "started" },
          durationMs: expect.any(Number),
          aborted: false,
          attempts: [{ runtime: stage.runtime }],
        },
      });
      const order = received.filter((line) => !/^event (?!text|run_)/.test(line));
      expect(order[0]).toBe("event run_start");
      expect(order.slice(-3)).toEqual(["event text", "block Hello.", "event run_end"]);
      const partials = order.filter((line) => line.startsWith("partial"));
      expect(partials.at(-1)).toBe("partial Hello.");
      expect(order.slice(1, -3)).toEqual(partials.flatMap((line) => ["event text_delta", line]));
      const { halyard, cwd } = stage;
      expect((await halyard.sessions({ cwd })).map(({ state }) => state)).toEqual(["stopped"]);
    });

    test("reports a tool's result and writes it to the session file [s4.callbacks.tool-result] [s4.session.adapter]", async () => {
      await using stage = await open();
      const runtime = await runtimeOf(stage);
      const results: unknown[] = [];
      const prompt = stage.prompts.shell("echo it works");
      const params = paramsOf(stage, prompt);
      await runtime.run({ ...params, onToolResult: (payload) => void results.push(payload) });
      expect(results).toEqual([
        {
          text: expect.stringContaining("it works"),
          toolName: expect.any(String),
          toolCallId: expect.any(String),
          isError: false,
        },
      ]);
      const session = await openSessionFile(params.sessionFile);
      const parts = (await session.loadHistory()).flatMap(({ role, content }) =>
        content.map(({ type }) => `${role} ${type}`),
      );
      expect(parts.slice(0, 3)).toEqual([
        "user text",
        "assistant tool_call",
        "tool_result tool_result",
      ]);
    });

    test("continues a conversation by the chat's id or by the session id of a result, one run at a time [s4.params.session-id] [s4.params.session-file] [s4.result.session-id]", async () => {
      await using stage = await open();
      const runtime = await runtimeOf(stage);
      const first = stage.prompts.say("I will.");
      const { prompt, answer } = stage.prompts.recall(first);
      const [one, two] = await Promise.all([
        runtime.run(paramsOf(stage, first)),
        runtime.run(paramsOf(stage, prompt)),
      ]);
      expect(two).toMatchObject({
        reply: answer,
        meta: { sessionId: one.meta.sessionId, session: { opened: "resumed" } },
      });
      const byResult = { ...paramsOf(stage, prompt), sessionId: one.meta.sessionId ?? "" };
      expect(await runtime.run(byResult)).toMatchObject({
        reply: answer,
        meta: { sessionId: one.meta.sessionId, session: { opened: "resumed" } },
      });
      const session = await openSessionFile(paramsOf(stage, prompt).sessionFile);
      const roles = (await session.loadHistory()).map(({ role }) => role);
      expect(roles).toEqual(["user", "assistant", "user", "assistant", "user", "assistant"]);
    });

    test("returns the partial reply and reports aborted if the signal aborts the run", async () => {
      await using stage = await open();
      const runtime = await runtimeOf(stage);
      const controller = new AbortController();
      const { reply, meta } = await runtime.run({
        ...paramsOf(stage, stage.prompts.sing()),
        abortSignal: controller.signal,
        onPartialReply: () => controller.abort(),
      });
      expect(meta.aborted).toBe(true);
      expect(reply).toMatch(/^la/);
    });
  });
}

function runtimeOf({ runtime, halyard, model }: FacadeStage) {
  const providers = model ? { gateway: model } : {};
  return createAgentRuntime({ models: { providers } }, "main", runtime, { halyard });
}

function paramsOf({ cwd }: FacadeStage, prompt: string): AgentRuntimeRunParams {
  return {
    sessionId: "chat-1",
    sessionFile: join(cwd, "..", "chats", "chat-1.jsonl"),
    workspaceDir: cwd,
    prompt,
    provider: "gateway",
    model: "scripted",
    runId: "run-1",
  };
}
