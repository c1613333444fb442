import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, expectTypeOf, test } from "vitest";
import { openFakeStage } from "../../../test/facades/fake-stage.ts";
import { HalyardError } from "../../core/error.ts";
import type { Capability } from "../../schema/runtime.ts";
import { collect, type FacadeStage, until } from "../../testing/facade-suite/facade-stage.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import {
  completeRuntime,
  type ExecuteRequest,
  loadAgentConfig,
  newRuntime,
  type Runtime,
  type StreamEvent,
  type StreamingExecutor,
} from "./index.ts";

const open = async ({ halyard, cwd }: FacadeStage): Promise<Runtime> => {
  const runtime = newRuntime({ server: { agent_runtime: "fake" } }, { halyard });
  await runtime.initialize({ workingDir: cwd, autonomy: "off" });
  return runtime;
};

describe("newRuntime", () => {
  const runtimeIn = async (files: Record<string, unknown>) => {
    const cwd = await temporaryDirectory();
    await mkdir(join(cwd, "config"));
    for (const [name, content] of Object.entries(files))
      await writeFile(join(cwd, "config", name), JSON.stringify(content));
    return newRuntime(await loadAgentConfig({ cwd, env: { HOME: cwd } })).name;
  };

  test("gives droid by auto where there is a key [s0.factory.auto-picks-droid]", async () => {
    const server = { agent_runtime: "auto" };
    const factory = { api_key: "fk-1" };
    expect(await runtimeIn({ "server.json": server, "factory.json": factory })).toBe("droid");
    expect(await runtimeIn({ "factory.json": factory })).toBe("droid");
  });

  test("gives opencode by auto where there is none [s0.factory.auto-picks-opencode]", async () => {
    const server = { agent_runtime: "auto" };
    expect(await runtimeIn({ "server.json": server })).toBe("opencode");
    expect(await runtimeIn({ "server.json": server, "factory.json": { api_key: " " } })).toBe(
      "opencode",
    );
  });

  test("gives opencode where that is configured, key or no key [s0.factory.explicit-opencode]", async () => {
    const factory = { api_key: "fk-1" };
    const files = { "server.json": { agent_runtime: "opencode" }, "factory.json": factory };
    expect(await runtimeIn(files)).toBe("opencode");
  });

  test("is the one way to each runtime there is, a project's own first [s2.structure.factory] [s0.runtime.interface] [s0.runtime.name]", async () => {
    await using stage = await openFakeStage();
    const { halyard } = stage;
    for (const { name } of await halyard.runtimes()) {
      const config = { server: { agent_runtime: "auto" }, project: { agent_runtime: name } };
      const runtime: Runtime = newRuntime(config, { halyard });
      expect(runtime.name).toBe(name);
    }
    expectTypeOf<Runtime>().toMatchTypeOf<{
      initialize: () => Promise<void>;
      executeStreaming: (request: ExecuteRequest) => Promise<StreamingExecutor>;
      ping: () => Promise<void>;
      close: () => Promise<void>;
      isAvailable: () => Promise<boolean>;
      name: string;
    }>();
  });

  test("needs no Halyard, and makes one when it is first needed", async () => {
    const home = await temporaryDirectory();
    const create = { home: join(home, "halyard"), env: {}, adapters: [fakeAdapter()] };
    await using runtime = newRuntime({ server: { agent_runtime: "fake" } }, { create });
    const response = await runtime.execute({ prompt: "say Hello.", workingDir: home });
    expect(response.result).toBe("Hello.");
  });
});

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
    await using runtime = await open(stage);
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
    const { executeStreaming, execute, ping, close } = await open(stage);
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
    await using runtime = await open(stage);
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

describe("a request", () => {
  test("plans instead of building where it says useSpec, and does what its autonomy allows", async () => {
    await using stage = await openFakeStage();
    await using runtime = await open(stage);
    const request = { prompt: "echo-args", useSpec: true, reasoning: "high" } as const;
    const { result, sessionID } = await runtime.execute({ ...request, systemPrompt: "Be brief." });
    expect(result).toMatch(/--plan --reasoning=high --system-prompt=Be brief\./);
    const built = await runtime.execute({ prompt: "echo-args", sessionID, useSpec: false });
    expect(built.result).not.toContain("--plan");
    for (const [autonomy, permissions] of [
      ["off", "allow-all"],
      ["high", "allow-all"],
      ["medium", "allow-edits"],
      ["low", "deny"],
    ] as const) {
      const { sessionID } = await runtime.execute({ prompt: "say a", autonomy });
      const [info] = await stage.halyard.sessions({ limit: 1 });
      expect(info).toMatchObject({ id: sessionID, permissions });
    }
  });

  test.each<[Partial<ExecuteRequest>, string, string]>([
    [{ containerID: "c1" }, "unsupported", "containerID"],
    [{ enabledTools: ["shell"] }, "unsupported", "tools"],
    [{ disabledTools: ["shell"] }, "unsupported", "tools"],
    [{ depth: 2 }, "invalid_input", "depth"],
    [{ sessionID: "nobody" }, "session_not_found", "nobody"],
    [{ prompt: "" }, "invalid_input", "prompt"],
  ])("with %j is refused where it cannot be done", async (more, code, about) => {
    await using stage = await openFakeStage();
    await using runtime = await open(stage);
    const executing = runtime.execute({ prompt: "say a", ...more });
    await expect(executing).rejects.toMatchObject({
      code,
      message: expect.stringContaining(about),
    });
    expect(await stage.halyard.sessions()).toEqual([]);
  });

  test("has tools taken away where the runtime can", async () => {
    const capabilities: Capability[] = [...fakeAdapter().capabilities, "tool-lists"];
    await using stage = await openFakeStage([{ ...fakeAdapter(), name: "able", capabilities }]);
    await using runtime = newRuntime({ server: { agent_runtime: "able" } }, stage);
    const { cwd: workingDir } = stage;
    await runtime.execute({ prompt: "say a", workingDir, disabledTools: ["shell"] });
    const [info] = await stage.halyard.sessions();
    expect(info?.tools).toEqual({ disabled: ["shell"] });
  });

  test("makes a child of its parent", async () => {
    await using stage = await openFakeStage();
    await using runtime = await open(stage);
    const { sessionID } = await runtime.execute({ prompt: "say a" });
    const [parent] = await stage.halyard.sessions();
    await runtime.execute({ prompt: "say b", parentID: parent?.id, depth: 1 });
    const [child] = await stage.halyard.sessions({ limit: 1 });
    expect(child).toMatchObject({ parent: sessionID, depth: 1 });
  });

  test("does not continue a session of another runtime, nor what only a new one can have", async () => {
    await using stage = await openFakeStage([{ ...fakeAdapter(), name: "other" }]);
    await using runtime = await open(stage);
    const { sessionID } = await runtime.execute({ prompt: "say a" });
    const other = newRuntime({ server: { agent_runtime: "other" } }, stage);
    await expect(other.execute({ prompt: "say b", sessionID })).rejects.toThrow("stays with it");
    const changed = runtime.execute({ prompt: "say b", sessionID, systemPrompt: "Be brief." });
    await expect(changed).rejects.toMatchObject({ code: "unsupported" });
  });
});

describe("an executor", () => {
  test("has its nine members, and both of its ids [s0.streaming.interface] [s0.streaming.runtime-session-id] [s3.executor.runtime-session-id]", async () => {
    await using stage = await openFakeStage();
    await using runtime = await open(stage);
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
      wait: () => Promise<number>;
      close: () => Promise<void>;
      runtimeSessionID: string | undefined;
      isClosed: boolean;
    }>();
  });

  test("yields events in order, to every reader, in seven types [s0.streaming.events] [s3.executor.events] [s3.events.seven-types]", async () => {
    await using stage = await openFakeStage();
    await using runtime = await open(stage);
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

  test("yields errors apart from the events, and the exit code of its end [s0.streaming.errors] [s3.executor.errors] [s0.streaming.wait] [s3.executor.wait]", async () => {
    await using stage = await openFakeStage();
    await using runtime = await open(stage);
    const executor = await runtime.executeStreaming({ prompt: "fail it broke" });
    expect(await executor.wait()).toBe(1);
    await executor.sendMessage("die 7");
    expect(await executor.wait()).toBe(1);
    await executor.done;
    const errors = await collect(executor.errors);
    expect(errors).toEqual([expect.any(HalyardError), expect.any(HalyardError)]);
    expect(errors).toMatchObject([{ message: "it broke" }, { code: "agent_exited" }]);
    expect(executor.isClosed).toBe(true);
    await expect(executor.sendMessage("say a")).rejects.toMatchObject({ code: "session_stopped" });
  });

  test("is closed at any time, more than once, and leaves nothing running [s0.streaming.close] [s3.executor.close] [s0.streaming.is-closed] [s3.executor.is-closed]", async () => {
    await using stage = await openFakeStage();
    await using runtime = await open(stage);
    const executor = await runtime.executeStreaming({ prompt: "wait" });
    expect(executor.isClosed).toBe(false);
    const closing = [executor.close(), executor.close()];
    expect(executor.isClosed).toBe(true);
    await Promise.all(closing);
    await executor.done;
    expect(await stage.halyard.processes()).toEqual([]);
    expect(await executor.wait()).toBe(130);
  });

  test("goes on after a cancelled turn where it is to be kept open", async () => {
    await using stage = await openFakeStage();
    await using runtime = await open(stage);
    const executor = await runtime.executeStreaming({ prompt: "say la; wait" });
    await until(executor.events, ({ type }) => type === "delta");
    await executor.cancel({ keepOpen: true });
    expect(executor.isClosed).toBe(false);
    await executor.sendMessage("say still here");
    expect(await executor.wait()).toBe(0);
  });

  test("is told apart from another on the same runtime, and a collected turn leaves it open", async () => {
    await using stage = await openFakeStage();
    await using runtime = await open(stage);
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
        event.type === "message" ? [event.text] : [],
      );
    expect(await said(one)).toEqual(["one", "three"]);
    expect(await said(two)).toEqual(["two"]);
  });
});
