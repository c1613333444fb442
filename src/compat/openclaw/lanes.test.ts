import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { openFakeStage } from "../../../test/compat/fake-stage.ts";
import { openFake, paramsOf } from "../../../test/compat/runs.ts";
import { createDeferred } from "../../async/deferred.ts";
import { SessionId } from "../../schema/id.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import {
  type AgentRuntime,
  type CoreParams,
  createAgentRuntime,
  createPiAgentRuntime,
} from "./index.ts";

describe("runs of one conversation", () => {
  test("wait for each other on all runtimes of the same Halyard instance", async () => {
    await using stage = await openFakeStage();
    const runtimes = [await openFake(stage), await openFake(stage)];
    const runs = runtimes.map((runtime, at) => runtime.run(paramsOf(stage, `say ${at}`)));
    const [one, two] = await Promise.all(runs);
    expect(one).toMatchObject({ reply: "0", meta: { session: { opened: "started" } } });
    expect(two).toMatchObject({
      reply: "1",
      meta: { sessionId: one?.meta.sessionId, session: { opened: "resumed" }, aborted: false },
    });
  });

  test("wait for each other if two of the caller's Halyard instances have the same home", async () => {
    await using stage = await openFakeStage();
    const runtimes = [
      await openFake(stage),
      await openFake({ ...stage, halyard: await stage.again() }),
    ];
    const runs = runtimes.map((runtime, at) =>
      runtime.run(
        paramsOf(stage, `sh echo begin >> log; sh sleep 0.1; sh echo end >> log; say ${at}`),
      ),
    );
    const [one, two] = await Promise.all(runs);
    expect(two?.meta.sessionId).toBe(one?.meta.sessionId);
    expect(await readFile(join(stage.cwd, "log"), "utf8")).toBe("begin\nend\n".repeat(2));
  });

  test("do not wait for runs with the same session id on another home", async () => {
    await using stage = await openFakeStage();
    const open = (name: string) => {
      const create = { home: join(stage.cwd, "..", name), env: {}, adapters: [fakeAdapter()] };
      return createAgentRuntime({}, "main", "fake", { create });
    };
    const [one, two] = [await open("one"), await open("two")];
    const abort = new AbortController();
    const begun = createDeferred<void>();
    const waiting = one.run({
      ...paramsOf(stage, "say la; wait"),
      abortSignal: abort.signal,
      onBlockReply: () => begun.resolve(),
    });
    await begun.promise;
    expect(await two.run(paramsOf(stage, "say b"))).toMatchObject({ reply: "b" });
    abort.abort();
    await waiting;
  });

  test("wait for each other if each run creates its own Halyard instance", async () => {
    await using stage = await openFakeStage();
    const create = { home: join(stage.cwd, "..", "own"), env: {}, adapters: [fakeAdapter()] };
    const open = () => createAgentRuntime({}, "main", "fake", { create });
    const runtimes = [await open(), await open()];
    const runs = runtimes.map((runtime, at) => runtime.run(paramsOf(stage, `say ${at}`)));
    const [one, two] = await Promise.all(runs);
    expect(two).toMatchObject({ reply: "1", meta: { sessionId: one?.meta.sessionId } });
  });

  test.each([
    ["share a session but not a key", { sessionKey: "a" }, { sessionKey: "b" }],
    ["share a key but not a session", { sessionId: "chat-2" }, { sessionKey: "chat-2" }],
  ])("wait for each other if they %s", async (_, first, second) => {
    await using stage = await openFakeStage();
    const [runtime, other] = [await openFake(stage), await openFake(stage)];
    const received: string[] = [];
    const run = (on: AgentRuntime, name: string, ids: Partial<CoreParams>) =>
      on.run({
        ...paramsOf(stage, `say begin ${name}; sh sleep 0.1; say end ${name}`),
        onBlockReply: ({ text }) => void received.push(text),
        ...ids,
      });
    await Promise.all([run(runtime, "one", first), run(other, "two", second)]);
    expect(received).toEqual(["begin one", "end one", "begin two", "end two"]);
  });

  test.each([
    ["a session", ["chat-1", "a"], ["chat-1", "b"], 1],
    ["a key", ["chat-1", "a"], ["chat-2", "a"], 2],
  ])(
    "wait for each other across processes on one home if they share %s",
    async (_, one, two, sessions) => {
      await using stage = await openFakeStage();
      const directory = join(stage.cwd, "..");
      const script = fileURLToPath(new URL("../../../test/compat/run-once.mjs", import.meta.url));
      const run = promisify(execFile);
      const names = [one, two, one];
      const runs = await Promise.all(
        names.map((ids, at) => run(process.execPath, [script, directory, ...ids, `${at}`])),
      );
      expect(await readFile(join(directory, "log"), "utf8")).toBe("begin\nend\n".repeat(3));
      const ids = runs.map(({ stdout }) => JSON.parse(stdout).sessionId);
      expect(new Set(ids).size, "no session starts twice").toBe(sessions);
      expect(await readdir(join(directory, "own", "lanes")), "no claim is left").toEqual([]);
    },
  );

  test("are rejected if the home is not writable", async () => {
    await using stage = await openFakeStage();
    const home = join(stage.cwd, "file");
    await writeFile(home, "");
    const create = { home, env: {}, adapters: [fakeAdapter()] };
    const running = createPiAgentRuntime({}, { create }).run(paramsOf(stage, "say a"));
    await expect(running).rejects.toMatchObject({ code: "store_failed" });
  });

  test("are aborted immediately while they wait, and never start", async () => {
    await using stage = await openFakeStage();
    const runtime = await openFake(stage);
    const [first, second] = [new AbortController(), new AbortController()];
    const begun = createDeferred<void>();
    const running = runtime.run({
      ...paramsOf(stage, "say la; wait"),
      abortSignal: first.signal,
      onBlockReply: () => begun.resolve(),
    });
    await begun.promise;
    const next = { ...paramsOf(stage, "say b"), runId: "r", abortSignal: second.signal };
    const waiting = runtime.run(next);
    second.abort();
    expect(await waiting).toEqual(await runtime.run(next)); // the signal was aborted before the call
    expect(await waiting).toEqual({
      reply: "",
      payloads: [],
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      meta: {
        runtime: "fake",
        provider: "somebody",
        model: "some-model",
        runId: "r",
        session: { opened: "none" },
        durationMs: 0,
        aborted: true,
        attempts: [],
      },
    });
    first.abort();
    const { meta } = await running;
    expect(meta.aborted).toBe(true);
    await runtime.run(paramsOf(stage, "say c"));
    const session = await stage.halyard.find(SessionId.parse(meta.sessionId));
    expect(session?.turns).toBe(2);
  });
});
