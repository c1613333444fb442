import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { never, start } from "../../../test/compat/ari-sessions.ts";
import { openFakeStage } from "../../../test/compat/fake-stage.ts";
import type { HookPayload } from "../../schema/hook.ts";
import { SessionId } from "../../schema/id.ts";
import { until } from "../../testing/compat-suite/compat-stage.ts";
import { createAgentRuntime } from "./index.ts";

describe("a signal", () => {
  test("aborts every method, and leaves no new session behind [s1.ari.context]", async () => {
    await using stage = await openFakeStage([never()]);
    const runtime = createAgentRuntime(stage);
    const handle = await start(stage, runtime, { initialPrompt: "wait" });
    const signal = AbortSignal.abort(new Error("given up"));
    const calls = [
      runtime.start({ workDir: stage.cwd, runtimeName: "fake" }, { signal }),
      runtime.resume(handle, { signal }),
      runtime.sendMessage(handle, { text: "say never" }, { signal }),
      runtime.stop(handle, "never", { signal }),
      runtime.isReady(handle, { signal }),
      runtime.detectRunning(handle, { signal }),
      runtime.listSessions({}, { signal }),
    ];
    for (const call of calls) await expect(call).rejects.toThrow("given up");
    expect(await runtime.listSessions()).toEqual([handle]);
    expect(await runtime.detectRunning(handle)).toBe(true);
  });

  test("stops a launch that never becomes ready", async () => {
    await using stage = await openFakeStage([never()]);
    const runtime = createAgentRuntime(stage);
    const patience = new AbortController();
    const starting = start(stage, runtime, { runtimeName: "never" }, patience);
    await expect.poll(async () => (await runtime.listSessions()).length).toBe(1);
    patience.abort(new Error("too long"));
    await expect(starting).rejects.toThrow("too long");
    await expect.poll(() => stage.halyard.processes()).toEqual([]);
  });

  test("stops a launch without hook events if the session has not started", async () => {
    await using stage = await openFakeStage([never()]);
    const received: string[] = [];
    const hooks = [({ event }: HookPayload) => void received.push(event)];
    const adapters = [never()];
    const create = { home: join(stage.cwd, "..", "own"), env: {}, adapters, hooks };
    const patience = new AbortController();
    const runtime = createAgentRuntime({ create });
    const starting = start(stage, runtime, { runtimeName: "never" }, patience);
    await expect.poll(async () => (await runtime.listSessions()).length).toBe(1);
    patience.abort(new Error("too long"));
    await expect(starting).rejects.toThrow("too long");
    await runtime[Symbol.asyncDispose]();
    expect(received).toEqual([]);
  });

  test("withdraws a queued message", async () => {
    await using stage = await openFakeStage();
    const runtime = createAgentRuntime(stage);
    const handle = await start(stage, runtime, { initialPrompt: "wait" });
    const patience = new AbortController();
    const message = { text: "tool write x.txt x", timeout: 20_000 };
    const sending = runtime.sendMessage(handle, message, { signal: patience.signal });
    const session = await stage.halyard.session(SessionId.parse(handle.sessionID));
    await until(session.events(), (event) => "subtype" in event && event.subtype === "turn_queued");
    patience.abort(new Error("too long"));
    await expect(sending).rejects.toThrow("too long");
    await session.interrupt();
    expect(await session.send("say c").outcome).toMatchObject({ text: "c" });
    expect(readdirSync(stage.cwd)).toEqual([]);
  });
});
