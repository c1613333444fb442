import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openFakeRuntime } from "../../../test/compat/fake-runtime.ts";
import { openFakeStage } from "../../../test/compat/fake-stage.ts";
import { createDeferred } from "../../async/deferred.ts";
import type { Adapter } from "../../contracts/adapter.ts";
import type { PositionedEvent } from "../../contracts/store.ts";
import { until } from "../../testing/compat-suite/compat-stage.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { completeRuntime, newRuntime } from "./index.ts";

describe("a runtime", () => {
  const unavailable = {
    ...fakeAdapter(),
    name: "missing",
    probe: async () =>
      ({ available: false, reason: "it is not there", hint: "install it" }) as const,
  };
  const fake = fakeAdapter();
  const capabilities = [...fake.capabilities, "endpoints" as const];
  const signedOut = { ...fake, name: "signed-out", capabilities, isSignedIn: async () => false };

  test("reports whether it is available [s0.runtime.is-available]", async () => {
    await using stage = await openFakeStage([unavailable]);
    const { halyard } = stage;
    const runtimeOf = (agent_runtime: string) =>
      newRuntime({ server: { agent_runtime } }, { halyard });
    expect(await runtimeOf("fake").isAvailable()).toBe(true);
    expect(await runtimeOf("missing").isAvailable()).toBe(false);
    await expect(runtimeOf("missing").initialize()).rejects.toMatchObject({
      code: "runtime_unavailable",
      message: expect.stringMatching(/it is not there.*install it/i),
    });
    await expect(runtimeOf("nobody").isAvailable()).rejects.toMatchObject({
      code: "unknown_runtime",
    });
  });

  test("rejects initialize without credentials", async () => {
    await using stage = await openFakeStage([signedOut]);
    const config = { server: { agent_runtime: "signed-out" } };
    const runtime = newRuntime(config, stage);
    await expect(runtime.initialize()).rejects.toMatchObject({ code: "not_signed_in" });
    await runtime.initialize({ model: { id: "m", apiKey: "sk-secret" } });
  });

  test("can be initialized repeatedly, and applies the host, project and environment [s0.runtime.initialize]", async () => {
    await using stage = await openFakeStage();
    const { halyard, cwd } = stage;
    await using runtime = await openFakeRuntime(stage);
    await runtime.initialize({ workingDir: cwd, projectID: "p-1", host: "local", env: { A: "1" } });
    await runtime.initialize();
    const executor = await runtime.executeStreaming({ prompt: "echo-env A" });
    await executor.wait();
    expect((await halyard.sessions())[0]).toMatchObject({ cwd, host: "local", project: "p-1" });
    const message = await until(
      executor.events,
      (event) => event.type === "message" && event.role === "assistant",
    );
    expect(message).toMatchObject({ text: "1" });
  });

  test("rejects every call that has a context if its signal is aborted [s0.runtime.context] [s3.runtime.context]", async () => {
    await using stage = await openFakeStage();
    await using runtime = await openFakeRuntime(stage);
    const signal = AbortSignal.abort(new Error("too late"));
    const request = { prompt: "wait" };
    for (const call of [
      () => runtime.initialize(undefined, { signal }),
      () => runtime.ping({ signal }),
      () => runtime.execute(request, { signal }),
      () => runtime.executeStreaming(request, { signal }),
    ])
      await expect(call()).rejects.toThrow();
    await runtime.ping();
    expect(await stage.halyard.sessions(), "nothing was started").toEqual([]);
  });

  test("rejects an aborted execution immediately while its session starts, and stops the session later", async () => {
    const slow = createDeferred<void>();
    const fake = fakeAdapter();
    const connect: Adapter["connect"] = (request) => slow.promise.then(() => fake.connect(request));
    await using stage = await openFakeStage([{ ...fake, name: "slow", connect }]);
    const runtime = newRuntime({ server: { agent_runtime: "slow" } }, stage);
    await runtime.initialize({ workingDir: stage.cwd });
    for (const method of ["execute", "executeStreaming"] as const) {
      const patience = new AbortController();
      const executing = runtime[method]({ prompt: "wait" }, patience);
      await expect.poll(async () => (await stage.halyard.sessions()).length).toBeGreaterThan(0);
      patience.abort(new Error("too long"));
      await expect(executing).rejects.toMatchObject({ code: "cancelled" });
    }
    slow.resolve();
    await runtime.close();
    expect(await stage.halyard.processes()).toEqual([]);
  });

  test("runs tools if no autonomy is set", async () => {
    await using stage = await openFakeStage();
    const runtime = newRuntime({ server: { agent_runtime: "fake" } }, stage);
    const { cwd: workingDir } = stage;
    await runtime.execute({ prompt: "tool write made.txt built", workingDir });
    expect(await readFile(join(workingDir, "made.txt"), "utf8")).toBe("built");
  });

  test("accepts a named model in models.json as credentials", async () => {
    await using stage = await openFakeStage([signedOut]);
    const models = { models: { fast: { model: "m", baseUrl: "http://127.0.0.1:1", apiKey: "k" } } };
    const config = { server: { agent_runtime: "signed-out" }, models };
    const runtime = newRuntime(config, stage);
    await expect(runtime.initialize({ model: "fsat" })).rejects.toMatchObject({
      code: "not_signed_in",
      message: expect.stringContaining('config/models.json has no model "fsat"'),
    });
    await runtime.initialize({ model: "fast" });
  });

  test("accepts a request's model as credentials without a call to initialize", async () => {
    await using stage = await openFakeStage([signedOut]);
    const models = { models: { fast: { model: "m", baseUrl: "http://127.0.0.1:1", apiKey: "k" } } };
    const config = { server: { agent_runtime: "signed-out" }, models };
    const runtime = newRuntime(config, stage);
    const request = { prompt: "say hello", workingDir: stage.cwd };
    await expect(runtime.execute(request)).rejects.toMatchObject({ code: "not_signed_in" });
    expect(await runtime.execute({ ...request, model: "fast" })).toMatchObject({ result: "hello" });
  });

  test("accepts the continued session's model as credentials", async () => {
    await using stage = await openFakeStage([signedOut]);
    const models = { models: { fast: { model: "m", baseUrl: "http://127.0.0.1:1", apiKey: "k" } } };
    const config = { server: { agent_runtime: "signed-out" }, models };
    const request = { prompt: "say hello", workingDir: stage.cwd };
    const first = await newRuntime(config, stage).execute({ ...request, model: "fast" });
    const { sessionID, runtimeSessionID } = first;
    for (const id of [{ sessionID }, { runtimeSessionID }]) {
      const later = newRuntime(config, stage);
      expect(await later.execute({ prompt: "recall", ...id })).toMatchObject({ sessionID });
    }
    const unknown = newRuntime({ ...config, models: { models: {} } }, stage);
    const keyless = unknown.execute({ prompt: "recall", sessionID });
    await expect(keyless).rejects.toMatchObject({ code: "not_signed_in" });
  });

  test("needs only the four required methods, because completeRuntime adds the others [s3.runtime.four-methods]", async () => {
    await using stage = await openFakeStage();
    const { executeStreaming, execute, ping, close } = await openFakeRuntime(stage);
    const runtime = newRuntime({ server: { agent_runtime: "fake" } }, stage);
    const four = {
      executeStreaming: executeStreaming.bind(runtime),
      execute: execute.bind(runtime),
      ping: ping.bind(runtime),
      close: close.bind(runtime),
    };
    await using complete = completeRuntime(four, { name: "mine" });
    expect(complete.name).toBe("mine");
    expect(await complete.isAvailable()).toBe(true);
    await complete.initialize();
    const response = await complete.execute({ prompt: "say Hi.", workingDir: stage.cwd });
    expect(response.result).toBe("Hi.");
  });

  test("rejects a failed turn with the runtime's message, and a cancelled turn as cancelled or timed out", async () => {
    await using stage = await openFakeStage();
    await using runtime = await openFakeRuntime(stage);
    await expect(runtime.execute({ prompt: "fail the model is overloaded" })).rejects.toMatchObject(
      {
        code: "agent_failed",
        message: "the model is overloaded",
      },
    );
    const signal = AbortSignal.timeout(200);
    await expect(runtime.execute({ prompt: "wait" }, { signal })).rejects.toMatchObject({
      code: "timed_out",
    });
    const patience = new AbortController();
    const waiting = runtime.execute({ prompt: "wait" }, patience);
    const running = () => stage.halyard.sessions();
    await expect.poll(async () => (await running())[0]?.state).toBe("running");
    patience.abort();
    await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
    expect((await stage.halyard.sessions()).map(({ state }) => state)).toEqual([
      "stopped",
      "stopped",
      "stopped",
    ]);
  });

  test("shares a session with other runtimes on the same Halyard instance, and the last user stops it", async () => {
    await using stage = await openFakeStage();
    await using one = await openFakeRuntime(stage);
    await using two = await openFakeRuntime(stage);
    const first = one.execute({ prompt: "sh while [ ! -e go ]; do sleep 0.01; done; say a" });
    const isRunning = ({ event }: PositionedEvent) => event.type === "tool_call";
    const { sessionId: sessionID } = (await until(stage.halyard.allEvents(), isRunning)).event;
    const others = ["say b", "say c"].map((prompt) => two.execute({ prompt, sessionID }));
    let queued = 0;
    const isQueued = ({ event }: PositionedEvent) =>
      event.type === "system" && event.subtype === "turn_queued" && ++queued === others.length;
    await until(stage.halyard.allEvents(), isQueued);
    await writeFile(join(stage.cwd, "go"), "");
    const responses = await Promise.all([first, ...others]);
    expect(responses.map(({ result }) => result)).toEqual(["a", "b", "c"]);
    expect(await stage.halyard.processes()).toEqual([]);
  });

  test("stops a new session if its prompt is rejected, but not a session that was already running", async () => {
    await using stage = await openFakeStage();
    const { halyard, cwd } = stage;
    await using runtime = await openFakeRuntime(stage);
    const aborted = runtime.executeStreaming({ prompt: "wait" }, { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ code: "cancelled" });
    const blank = runtime.executeStreaming({ prompt: "  " });
    await expect(blank).rejects.toMatchObject({ code: "invalid_input" });
    expect(await halyard.processes()).toEqual([]);

    const session = await halyard.start({ runtime: "fake", cwd });
    await session.ready();
    const again = runtime.executeStreaming({ prompt: "  ", sessionID: session.id });
    await expect(again).rejects.toMatchObject({ code: "invalid_input" });
    expect(await session.send("say still here").outcome).toMatchObject({ text: "still here" });
  });

  test("rejects executions and initialize after close", async () => {
    await using stage = await openFakeStage();
    const runtime = await openFakeRuntime(stage);
    await runtime.close();
    const expected = {
      code: "invalid_input",
      message: "The runtime fake was closed. Create a new runtime.",
    };
    for (const late of [
      () => runtime.executeStreaming({ prompt: "wait" }),
      () => runtime.execute({ prompt: "wait" }),
      () => runtime.initialize(),
    ])
      await expect(late()).rejects.toMatchObject(expected);
    expect(await stage.halyard.sessions()).toEqual([]);
  });

  test("stops sessions that are being started when it is closed", async () => {
    const fake = fakeAdapter();
    const [connecting, closed] = [createDeferred<void>(), createDeferred<void>()];
    const slow: Adapter = {
      ...fake,
      name: "slow",
      async connect(request) {
        connecting.resolve();
        await closed.promise;
        return fake.connect(request);
      },
    };
    await using stage = await openFakeStage([slow]);
    const { halyard, cwd: workingDir } = stage;
    const runtime = newRuntime({ server: { agent_runtime: "slow" } }, { halyard });
    const starting = runtime.executeStreaming({ prompt: "wait", workingDir });
    await connecting.promise;
    const closing = runtime.close();
    closed.resolve();
    await expect(starting).rejects.toMatchObject({
      message: "The runtime slow was closed. Create a new runtime.",
    });
    await closing;
    expect(await halyard.processes()).toEqual([]);
  });
});
