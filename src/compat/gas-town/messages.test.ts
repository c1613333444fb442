import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { busy, start } from "../../../test/compat/ari-sessions.ts";
import { openFakeStage } from "../../../test/compat/fake-stage.ts";
import type { Adapter } from "../../contracts/adapter.ts";
import { newSessionId } from "../../errors/require-id.ts";
import type { StreamEvent } from "../../schema/event.ts";
import { SessionId } from "../../schema/id.ts";
import { until } from "../../testing/compat-suite/compat-stage.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { createAgentRuntime } from "./index.ts";

describe("a message", () => {
  test("is accepted with an alias of the session's delivery method, and the receipt contains the method", async () => {
    const calls: Adapter = {
      ...fakeAdapter(),
      name: "calls",
      inputs: ["stdin"],
      inputAliases: { rpc: "stdin" },
    };
    await using stage = await openFakeStage([calls]);
    const runtime = createAgentRuntime(stage);
    const handle = await start(stage, runtime, { runtimeName: "calls" });
    const send = (delivery: "stdin" | "rpc" | "tmux") =>
      runtime.sendMessage(handle, { text: "say a", delivery });
    expect(await send("rpc")).toMatchObject({ delivery: "stdin" });
    expect(await send("stdin")).toMatchObject({ delivery: "stdin" });
    await expect(send("tmux")).rejects.toMatchObject({ code: "unsupported" });
  });

  test("uses the session's delivery method, and is rejected with any other method", async () => {
    await using stage = await openFakeStage([{ ...withoutInputs(), name: "embedded" }, twoWays()]);
    const runtime = createAgentRuntime(stage);
    const refused = (
      runtimeName: string,
      way: string,
      asked: string,
      hint = ` Omit "delivery" or set it to "${way}".`,
    ) => ({
      code: "unsupported",
      message: `This session of ${runtimeName} on the local host receives messages through ${way}, not through ${asked}.${hint}`,
    });
    const send = async (runtimeName: string, delivery?: "stdin" | "rpc" | "tmux") => {
      const handle = await start(stage, runtime, { runtimeName });
      return runtime.sendMessage(handle, { text: "say a", ...(delivery && { delivery }) });
    };
    expect(await send("fake", "stdin")).toMatchObject({ delivery: "stdin" });
    await expect(send("fake", "rpc")).rejects.toMatchObject(refused("fake", "stdin", "rpc"));
    await expect(send("fake", "tmux")).rejects.toMatchObject(refused("fake", "stdin", "tmux"));
    expect(await send("embedded", "rpc")).toMatchObject({ delivery: "rpc" });
    const written = refused("embedded", "rpc", "stdin");
    await expect(send("embedded", "stdin")).rejects.toMatchObject(written);
    expect(await send("two-ways")).toMatchObject({ delivery: "rpc" });
    const hint = ` Set "delivery": "stdin" for two-ways in ~/.gastown/runtimes.json and start a new session.`;
    const other = refused("two-ways", "rpc", "stdin", hint);
    await expect(send("two-ways", "stdin")).rejects.toMatchObject(other);
  });

  test("fails if its timeout expires before its delivery, and is never delivered [s1.message.timeout]", async () => {
    await using stage = await openFakeStage();
    const runtime = createAgentRuntime(stage);
    const handle = await start(stage, runtime, { initialPrompt: "wait" });
    const waiting = runtime.sendMessage(handle, { text: "tool write x.txt x", timeout: 50 });
    await expect(waiting).rejects.toMatchObject({
      code: "timed_out",
      message: expect.stringMatching(/Try again, or increase the message's timeout\.$/),
    });
    expect((await runtime.sendMessage(handle, { text: "say b" })).status).toBe("queued");
    const session = await stage.halyard.resume(SessionId.parse(handle.sessionID));
    await session.interrupt();
    expect(await session.send("say c").outcome).toMatchObject({ text: "c" });
    expect(readdirSync(stage.cwd)).toEqual([]);
  });

  test("fails on timeout even while the session is not ready, and is never delivered", async () => {
    await using stage = await openFakeStage();
    const { halyard, cwd, runtime: name } = stage;
    const options = { startup: "sh while [ ! -e go ]; do sleep 0.01; done" };
    const session = await halyard.start({ runtime: name, cwd, options, permissions: "allow-all" });
    const runtime = createAgentRuntime(stage);
    const [handle] = await runtime.listSessions();
    if (!handle) throw new Error("no session");
    const waiting = runtime.sendMessage(handle, { text: "tool write x.txt x", timeout: 50 });
    await expect(waiting).rejects.toMatchObject({ code: "timed_out" });
    writeFileSync(join(cwd, "go"), "");
    expect(await session.send("say a").outcome).toMatchObject({ text: "a" });
    expect(session.info.turns).toBe(1);
    expect(readdirSync(cwd)).toEqual(["go"]);
  });

  test("is delivered when the current turn ends, if its timeout has not expired", async () => {
    await using stage = await openFakeStage();
    const runtime = createAgentRuntime(stage);
    const handle = await start(stage, runtime, { initialPrompt: "sh sleep 0.3" });
    const receipt = await runtime.sendMessage(handle, { text: "say b", timeout: 20_000 });
    expect(receipt).toEqual({ status: "confirmed", delivery: "stdin" });
  });

  test("is not delivered if it is cancelled while it waits", async () => {
    await using stage = await openFakeStage();
    const runtime = createAgentRuntime(stage);
    const handle = await start(stage, runtime, { initialPrompt: "wait" });
    const session = await stage.halyard.resume(SessionId.parse(handle.sessionID));
    const waiting = runtime.sendMessage(handle, { text: "say never", timeout: 20_000 });
    const isQueued = (event: StreamEvent) => "subtype" in event && event.subtype === "turn_queued";
    const { turnId } = await until(session.events(), isQueued);
    await session.interrupt({ ...(turnId && { turnId }) });
    await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
  });

  test("is retried if the runtime rejects it, and fails after the last attempt [s1.readiness.strategy]", async () => {
    await using stage = await openFakeStage([busy(2)]);
    const retry = { retries: 2, baseMs: 1, maxMs: 2 };
    const runtime = createAgentRuntime({ ...stage, retry });
    const handle = await start(stage, runtime, { runtimeName: "busy" });
    expect(await runtime.isReady(handle)).toBe(true);
    const { status } = await runtime.sendMessage(handle, { text: "say at last" });
    expect(status).toBe("confirmed");
    const impatient = createAgentRuntime({ ...stage, retry: { ...retry, retries: 1 } });
    const other = await start(stage, impatient, { runtimeName: "busy" });
    const sending = impatient.sendMessage(other, { text: "say never" });
    await expect(sending).rejects.toMatchObject({ code: "delivery_failed", message: "busy" });
  });

  test("is retried as often as the adapter specifies [s1.readiness.strategy]", async () => {
    const once = { strategy: "warmup", warmupMs: 1, retries: 1 } as const;
    const never = { ...once, retries: 0 };
    await using stage = await openFakeStage([
      busy(1, { name: "patient", readiness: once }),
      busy(1, { name: "impatient", readiness: never }),
    ]);
    const runtime = createAgentRuntime(stage);
    const patient = await start(stage, runtime, { runtimeName: "patient" });
    const { status } = await runtime.sendMessage(patient, { text: "say at last" });
    expect(status).toBe("confirmed");
    const impatient = await start(stage, runtime, { runtimeName: "impatient" });
    const sending = runtime.sendMessage(impatient, { text: "say never" });
    await expect(sending).rejects.toMatchObject({ code: "delivery_failed", message: "busy" });
  });

  test("is delivered in call order, even if the caller does not await the calls", async () => {
    await using stage = await openFakeStage();
    const runtime = createAgentRuntime(stage);
    const handle = await start(stage, runtime);
    const numbers = Array.from({ length: 8 }, (_, at) => at);
    const send = (at: number) => runtime.sendMessage(handle, { text: `sh echo ${at} >> order` });
    await Promise.all(numbers.map(send));
    await runtime.sendMessage(handle, { text: "say over", timeout: 20_000 });
    const order = readFileSync(join(stage.cwd, "order"), "utf8");
    expect(order).toBe(numbers.map((at) => `${at}\n`).join(""));
  });

  test("is rejected with the list of delivery methods if its method is unknown", async () => {
    await using stage = await openFakeStage();
    const runtime = createAgentRuntime(stage);
    const handle = await start(stage, runtime);
    const message: object = { text: "say a", delivery: "pigeon" };
    await expect(runtime.sendMessage(handle, { text: "say a", ...message })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining('"stdin"|"rpc"|"tmux"'),
    });
  });

  test("is rejected if its timeout is too large for a timer", async () => {
    await using stage = await openFakeStage();
    const runtime = createAgentRuntime(stage);
    const handle = await start(stage, runtime);
    const sending = runtime.sendMessage(handle, { text: "say a", timeout: 2 ** 31 });
    await expect(sending).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("is rejected if the session does not exist", async () => {
    await using stage = await openFakeStage();
    const runtime = createAgentRuntime(stage);
    const handle = await start(stage, runtime);
    const sending = runtime.sendMessage({ ...handle, sessionID: newSessionId() }, { text: "a" });
    await expect(sending).rejects.toMatchObject({ code: "session_not_found" });
  });
});

function withoutInputs(): Adapter {
  const { inputs: _, ...adapter } = fakeAdapter();
  return adapter;
}

/** Returns an adapter with two delivery methods, whose sessions report the second one. */
function twoWays(): Adapter {
  const fake = fakeAdapter();
  return {
    ...fake,
    name: "two-ways",
    inputs: ["stdin", "rpc"],
    async connect(request) {
      const connection = await fake.connect(request);
      const ready = connection.ready.bind(connection);
      connection.ready = async () => ({ ...(await ready()), input: "rpc" });
      return connection;
    },
  };
}
