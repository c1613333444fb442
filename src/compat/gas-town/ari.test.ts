import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, expectTypeOf, test } from "vitest";
import { busy, lastWords, start } from "../../../test/compat/ari-sessions.ts";
import { openFakeStage } from "../../../test/compat/fake-stage.ts";
import { HalyardError } from "../../errors/error.ts";
import type { StreamEvent } from "../../schema/event.ts";
import { SessionId } from "../../schema/id.ts";
import { until } from "../../testing/compat-suite/compat-stage.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import {
  type AgentRuntime,
  createAgentRuntime,
  type DeliveryReceipt,
  type SessionHandle,
} from "./index.ts";

describe("starting", () => {
  test("signs the runtime in with the request's account [s1.start-options.account-dir]", async () => {
    await using stage = await openFakeStage();
    const accountDir = await temporaryDirectory();
    const initialPrompt = "echo-env FAKE_ACCOUNT";
    const handle = await start(stage, createAgentRuntime(stage), { accountDir, initialPrompt });
    expect(await lastWords(stage, handle)).toBe(accountDir);
  });

  test("rejects an account if the runtime does not support one", async () => {
    const { accountVariable: _, ...alone } = fakeAdapter();
    await using stage = await openFakeStage([{ ...alone, name: "alone" }]);
    const starting = createAgentRuntime(stage).start({
      workDir: stage.cwd,
      runtimeName: "alone",
      accountDir: stage.cwd,
    });
    await expect(starting).rejects.toMatchObject({ code: "unsupported" });
  });

  test("rejects mode tmux if the runtime cannot run on a screen", async () => {
    await using stage = await openFakeStage();
    const starting = start(stage, createAgentRuntime(stage), { mode: "tmux" });
    await expect(starting).rejects.toBeInstanceOf(HalyardError);
  });

  test("stops the session if the runtime rejects its first message", async () => {
    await using stage = await openFakeStage([busy(Number.POSITIVE_INFINITY)]);
    const runtime = createAgentRuntime({ ...stage, retry: { retries: 1, baseMs: 1 } });
    const starting = start(stage, runtime, { runtimeName: "busy", initialPrompt: "say a" });
    await expect(starting).rejects.toMatchObject({ code: "delivery_failed", message: "busy" });
    expect(await stage.halyard.processes()).toEqual([]);
  });

  test("sends the bootstrap prompt to a town's session if the runtime's hooks do not run gt prime", async () => {
    await using stage = await openFakeStage([
      { ...fakeAdapter(), name: "hookless", bootstrap: "say primed" },
    ]);
    const runtime = createAgentRuntime(stage);
    const options = { runtimeName: "hookless", env: { GT_RIG: "greenplace" } };
    expect(await lastWords(stage, await start(stage, runtime, options))).toBe("primed");
    const alone = await start(stage, runtime, { runtimeName: "hookless", initialPrompt: "say a" });
    expect(await lastWords(stage, alone)).toBe("a");
  });

  test("restores the session's role on resume", async () => {
    await using stage = await openFakeStage();
    const runtime = createAgentRuntime(stage);
    const env = { GT_ROLE: "crew", GT_RIG: "r", BD_ACTOR: "r/crew/max" };
    const handle = await start(stage, runtime, { env, initialPrompt: "say a" });
    await lastWords(stage, handle);
    await runtime.stop(handle, "for now");
    expect(await runtime.isReady(handle)).toBe(false);
    const late = runtime.sendMessage(handle, { text: "say b" });
    await expect(late).rejects.toMatchObject({ code: "session_stopped" });
    const session = await stage.halyard.resume(SessionId.parse(handle.sessionID));
    const again = await runtime.resume(handle);
    expect(again.pid).not.toBe(handle.pid);
    const received = async (name: string) => (await session.send(`echo-env ${name}`).outcome).text;
    expect(await received("GT_SESSION_ID")).toBe(handle.sessionID);
    expect(await received("GT_ROLE")).toBe("crew");
    expect(await received("BD_ACTOR")).toBe("r/crew/max");
    expect(await runtime.listSessions({ rig: "r", role: "crew" })).toEqual([again]);
    expect(await runtime.listSessions({ rig: "other" })).toEqual([]);
  });

  test("allows tools and denies questions immediately if the request has no policy", async () => {
    await using stage = await openFakeStage();
    const runtime = createAgentRuntime(stage);
    const handle = await start(stage, runtime, { initialPrompt: "tool write x.txt done" });
    await lastWords(stage, handle);
    expect(readFileSync(join(stage.cwd, "x.txt"), "utf8")).toBe("done");
    const session = await stage.halyard.session(SessionId.parse(handle.sessionID));
    await runtime.sendMessage(handle, { text: "question Which color?" });
    const isDenial = (event: StreamEvent) => "decision" in event && event.decision === "deny";
    expect(await until(session.events(), isDenial)).toMatchObject({ by: "policy" });
  });
});

describe("the caller's GT_SESSION_ID", () => {
  const env = { GT_SESSION_ID: "gt-abc123", GT_ROLE: "polecat" };

  test("is the session's id in its handle, in its process and after a resume [s1.env.gt-session-id]", async () => {
    await using stage = await openFakeStage();
    const runtime = createAgentRuntime(stage);
    const handle = await start(stage, runtime, { env, initialPrompt: "echo-env GT_SESSION_ID" });
    expect(handle.sessionID).toBe("gt-abc123");
    const [info] = await stage.halyard.sessions();
    const session = await stage.halyard.session(SessionId.parse(info?.id));
    const words = () => until(session.events(), ({ type }) => type === "completion");
    expect(await words()).toMatchObject({ outcome: { text: "gt-abc123" } });
    expect(await runtime.isReady(handle)).toBe(true);
    expect(await runtime.detectRunning(handle)).toBe(true);
    expect(await runtime.listSessions()).toEqual([handle]);
    await runtime.stop(handle, "for now");
    expect(await runtime.detectRunning(handle)).toBe(false);
    expect(await runtime.resume(handle)).toMatchObject({ sessionID: "gt-abc123" });
    const resumed = await stage.halyard.session(SessionId.parse(info?.id));
    const { text } = await resumed.send("echo-env GT_SESSION_ID").outcome;
    expect(text).toBe("gt-abc123");
  });

  test("belongs to only one of several sessions that start at once", async () => {
    await using stage = await openFakeStage();
    const runtime = createAgentRuntime(stage);
    const starting = [1, 2, 3].map(() => start(stage, runtime, { env }));
    const started = await Promise.allSettled(starting);
    expect(started.map(({ status }) => status).toSorted()).toEqual([
      ...["fulfilled", "rejected", "rejected"],
    ]);
    expect(await stage.halyard.processes()).toHaveLength(1);
  });

  test("defaults to the Halyard id if it is empty", async () => {
    await using stage = await openFakeStage();
    const empty = { GT_SESSION_ID: "", GT_RIG: "", GT_ROLE: "crew" };
    const initialPrompt = "echo-env GT_SESSION_ID";
    const handle = await start(stage, createAgentRuntime(stage), { env: empty, initialPrompt });
    expect(handle.sessionID).toMatch(/^ses_/);
    expect(await lastWords(stage, handle)).toBe(handle.sessionID);
    const [info] = await stage.halyard.sessions();
    expect(info?.labels).toEqual({ "gt.role": "crew" });
  });

  test("is rejected while another session uses it", async () => {
    await using stage = await openFakeStage();
    const runtime = createAgentRuntime(stage);
    const first = await start(stage, runtime, { env });
    await expect(start(stage, runtime, { env })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("GT_SESSION_ID gt-abc123 belongs to session ses_"),
    });
    await runtime.stop(first, "done");
    const second = await start(stage, runtime, { env });
    expect(await runtime.detectRunning(second)).toBe(true);
  });
});

test("treats the zero values of Go structs as fields that are not set", async () => {
  await using stage = await openFakeStage();
  const zero = { accountDir: "", env: null, initialPrompt: "", mode: "" } as const;
  const runtime = createAgentRuntime(stage);
  const handle = await runtime.start({ workDir: stage.cwd, runtimeName: "fake", ...zero });
  const message = { text: "say a", delivery: "", timeout: 0 } as const;
  expect(await runtime.sendMessage(handle, message)).toMatchObject({ delivery: "stdin" });
  expect(await runtime.listSessions({ runtime: "", workDir: "", rig: "", role: "" })).toEqual([
    expect.objectContaining({ sessionID: handle.sessionID }),
  ]);
});

test.each([
  ["nothing", undefined],
  ["null", null],
  ["an object without an id", {}],
  ["an empty id", { sessionID: "" }],
  ["a numeric id", { sessionID: 7 }],
  ["a string", "ses_x"],
])("every method rejects %s as a handle", async (_, given) => {
  await using stage = await openFakeStage();
  const runtime = createAgentRuntime(stage);
  const handle: SessionHandle = JSON.parse(JSON.stringify(given ?? null));
  const calls = [
    runtime.resume(handle),
    runtime.sendMessage(handle, { text: "say a" }),
    runtime.stop(handle, "done"),
    runtime.isReady(handle),
    runtime.detectRunning(handle),
  ];
  for (const call of calls) await expect(call).rejects.toMatchObject({ code: "invalid_input" });
});

test("finds sessions by their directory in any spelling", async () => {
  await using stage = await openFakeStage();
  const runtime = createAgentRuntime(stage);
  const { sessionID } = await start(stage, runtime, { workDir: `${stage.cwd}/` });
  for (const workDir of [stage.cwd, `${stage.cwd}/`, join(stage.cwd, "..", "work", ".")])
    expect(await runtime.listSessions({ workDir })).toMatchObject([{ sessionID }]);
  expect(await runtime.listSessions({ workDir: join(stage.cwd, "..") })).toEqual([]);
});

test("AgentRuntime has the methods of Gas Town's interface", () => {
  expectTypeOf<AgentRuntime>().toMatchTypeOf<{
    start: (options: { workDir: string }) => Promise<SessionHandle>;
    sendMessage: (handle: SessionHandle, message: { text: string }) => Promise<DeliveryReceipt>;
    resume: (handle: SessionHandle) => Promise<SessionHandle>;
    stop: (handle: SessionHandle, reason: string) => Promise<void>;
    isReady: (handle: SessionHandle) => Promise<boolean>;
    detectRunning: (handle: SessionHandle) => Promise<boolean>;
    listSessions: () => Promise<SessionHandle[]>;
  }>();
});

test("leaves its sessions running on dispose, even if it created its Halyard instance", async () => {
  const home = await temporaryDirectory();
  const create = { home: join(home, "halyard"), env: {}, adapters: [fakeAdapter()] };
  const handle = await (async () => {
    await using runtime = createAgentRuntime({ create });
    return await runtime.start({ workDir: home, runtimeName: "fake" });
  })();
  await using runtime = createAgentRuntime({ create });
  expect(await runtime.detectRunning(handle)).toBe(true);
  await runtime.stop(handle, "done");
  expect(await runtime.detectRunning(handle)).toBe(false);
});

test("only adapters contain the names of the runtimes' own session id variables [s1.env.canonical-only]", () => {
  const src = fileURLToPath(new URL("../../", import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !/^adapters\/|\.test\.ts$/.test(file),
  );
  const native = /\b(CLAUDE|CODEX|PI|OPENCODE|DROID)_SESSION_ID\b/;
  expect(files.filter((file) => native.test(readFileSync(join(src, file), "utf8")))).toEqual([]);
});
