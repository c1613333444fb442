import { describe, expect, test } from "vitest";
import { openFakeRuntime } from "../../../test/facades/fake-runtime.ts";
import { openFakeStage } from "../../../test/facades/fake-stage.ts";
import { until } from "../../testing/facade-suite/facade-stage.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { completeRuntime, newRuntime } from "./index.ts";

describe("a runtime", () => {
  const unavailable = {
    ...fakeAdapter(),
    name: "missing",
    probe: async () =>
      ({ available: false, reason: "it is not there", hint: "install it" }) as const,
  };
  const signedOut = { ...fakeAdapter(), name: "signed-out", isSignedIn: async () => false };

  test("tells whether it can be used here [s0.runtime.is-available]", async () => {
    await using stage = await openFakeStage([unavailable]);
    const { halyard } = stage;
    const runtimeOf = (agent_runtime: string) =>
      newRuntime({ server: { agent_runtime } }, { halyard });
    expect(await runtimeOf("fake").isAvailable()).toBe(true);
    expect(await runtimeOf("missing").isAvailable()).toBe(false);
    await expect(runtimeOf("missing").initialize()).rejects.toMatchObject({
      code: "runtime_unavailable",
      message: expect.stringMatching(/it is not there.*install it/),
    });
    await expect(runtimeOf("nobody").isAvailable()).rejects.toMatchObject({
      code: "unknown_runtime",
    });
  });

  test("is not initialised without credentials, unless it is given some", async () => {
    await using stage = await openFakeStage([signedOut]);
    const config = { server: { agent_runtime: "signed-out" } };
    const runtime = newRuntime(config, stage);
    await expect(runtime.initialize()).rejects.toMatchObject({ code: "not_signed_in" });
    await runtime.initialize({ model: { id: "m", apiKey: "sk-secret" } });
  });

  test("is initialised with its host and the context of its project, once or more often [s0.runtime.initialize]", async () => {
    await using stage = await openFakeStage();
    const { halyard, cwd } = stage;
    await using runtime = await openFakeRuntime(stage);
    await runtime.initialize({ workingDir: cwd, projectID: "p-1", host: "local", env: { A: "1" } });
    await runtime.initialize();
    const executor = await runtime.executeStreaming({ prompt: "echo-env A" });
    await executor.wait();
    expect((await halyard.sessions())[0]).toMatchObject({ cwd, host: "local", project: "p-1" });
    const message = await until(executor.events, ({ type }) => type === "message");
    expect(message).toMatchObject({ text: "1" });
  });

  test("needs no more than four methods [s3.runtime.four-methods]", async () => {
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

  test("fails a collected turn with the runtime's own words, and a cancelled one as cancelled", async () => {
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
      code: "cancelled",
    });
    expect((await stage.halyard.sessions()).map(({ state }) => state)).toEqual([
      "stopped",
      "stopped",
    ]);
  });
});
