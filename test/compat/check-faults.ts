import { expect } from "vitest";
import type { AgentRuntime, SessionHandle } from "../../src/compat/gas-town/index.ts";
import type { HookPayload } from "../../src/schema/hook.ts";
import type { ScriptedModel } from "../../src/testing/scripted-model.ts";

interface Scene {
  readonly model: ScriptedModel;
  /** Returns the hook payloads so far. */
  received(): Promise<HookPayload[]>;
}

const slow = { timeout: 60_000 };

/**
 * Checks a session of a real program. A message that waits for a turn obeys its time limit and its signal, and every method
 * obeys an aborted signal. After a SIGKILL of the agent, the methods report the end of the session, and a resume succeeds.
 */
export async function checkFaults(
  runtime: AgentRuntime,
  handle: SessionHandle,
  { model, received }: Scene,
): Promise<void> {
  const { sessionID } = handle;
  model.on("sing", { text: "la ".repeat(1_000), chunkSize: 3, chunkDelayMs: 30 });
  model.on("are you back", { text: "Yes." });
  await runtime.sendMessage(handle, { text: "sing", timeout: 60_000 });
  const late = { text: "too late", timeout: 100 };
  const expired = runtime.sendMessage(handle, late);
  await expect(expired).rejects.toMatchObject({ code: "timed_out" });
  const signal = AbortSignal.timeout(100);
  const aborted = runtime.sendMessage(handle, { ...late, timeout: 60_000 }, { signal });
  await expect(aborted).rejects.toMatchObject({ name: "TimeoutError" });

  await checkAborted(runtime, handle);

  process.kill(handle.pid ?? Number.NaN, "SIGKILL");
  await expect.poll(() => runtime.detectRunning(handle), slow).toBe(false);
  expect(await runtime.isReady(handle)).toBe(false);
  expect(await runtime.listSessions({ running: true })).toEqual([]);
  const stopped = { event: "SessionStop", session_id: sessionID, data: { state: "failed" } };
  await expect.poll(async () => (await received()).at(-1), slow).toMatchObject(stopped);
  const died = { event: "OnError", data: { code: "agent_exited" } };
  expect((await received()).find(({ event }) => event === "OnError")).toMatchObject(died);
  const dead = runtime.sendMessage(handle, { text: "are you there" });
  await expect(dead).rejects.toMatchObject({ code: "session_stopped" });

  const impatient = runtime.resume(handle, { signal: AbortSignal.timeout(50) });
  await expect(impatient).rejects.toMatchObject({ name: "TimeoutError" });
  await expect.poll(() => runtime.listSessions({ running: true }), slow).toEqual([]);

  const again = await runtime.resume(handle);
  expect(again).toEqual({ ...handle, pid: expect.any(Number), readyAt: expect.any(String) });
  expect(again.pid).not.toBe(handle.pid);
  const receipt = await runtime.sendMessage(again, { text: "are you back", timeout: 60_000 });
  expect(receipt.status).toBe("confirmed");
  const asked = (pattern: RegExp) =>
    model.requests.some(({ messages }) => messages.some(({ text }) => pattern.test(text)));
  await expect.poll(() => asked(/are you back/), slow).toBe(true);
  await runtime.stop(again, "done");
  await runtime.stop(again, "done twice");
  const ended = await runtime.listSessions({ running: false });
  expect(ended.map((one) => one.sessionID)).toContain(sessionID);
  const isOver = async () => (await received()).at(-1)?.data.reason;
  await expect.poll(isOver, slow).toBe("done");
  expect(asked(/too late|are you there/)).toBe(false);
}

/** Checks that an aborted signal rejects every method, and that the session keeps running. */
async function checkAborted(runtime: AgentRuntime, handle: SessionHandle): Promise<void> {
  const { runtime: runtimeName, sessionID, workDir } = handle;
  const launch = { workDir, runtimeName, mode: "minimal" } as const;
  const signal = AbortSignal.abort();
  const calls = [
    runtime.start(launch, { signal }),
    runtime.resume(handle, { signal }),
    runtime.sendMessage(handle, { text: "too late" }, { signal }),
    runtime.stop(handle, "never", { signal }),
    runtime.isReady(handle, { signal }),
    runtime.detectRunning(handle, { signal }),
    runtime.listSessions({}, { signal }),
  ];
  for (const call of await Promise.allSettled(calls))
    expect(call).toMatchObject({ status: "rejected", reason: { name: "AbortError" } });
  const late = runtime.start(launch, { signal: AbortSignal.timeout(100) });
  await expect(late).rejects.toMatchObject({ name: "TimeoutError" });
  const all = () => runtime.listSessions();
  await expect.poll(all, slow).toHaveLength(2); // the aborted launch is recorded after the rejection
  const running = async () =>
    (await runtime.listSessions({ running: true })).map((one) => one.sessionID);
  await expect.poll(running, slow).toEqual([sessionID]);
}
