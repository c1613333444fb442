import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, expectTypeOf, test } from "vitest";
import { openFakeStage } from "../../../test/facades/fake-stage.ts";
import type { Adapter } from "../../core/adapter.ts";
import { HalyardError } from "../../core/error.ts";
import { newSessionId } from "../../core/id.ts";
import type { StreamEvent } from "../../schema/event.ts";
import { SessionId } from "../../schema/id.ts";
import { type FacadeStage, until } from "../../testing/facade-suite/facade-stage.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { type AgentRuntime, createAgentRuntime, type SessionHandle } from "./index.ts";

const start = (stage: FacadeStage, runtime: AgentRuntime, more = {}, context = {}) =>
  runtime.start({ workDir: stage.cwd, runtimeName: stage.runtime, ...more }, context);

/** What was said in the session's last turn so far. */
async function lastWords({ halyard }: FacadeStage, { sessionID }: SessionHandle): Promise<string> {
  const events = halyard.events({ sessionId: SessionId.parse(sessionID) });
  const end = await until(events, ({ type }) => type === "completion");
  return end.type === "completion" ? end.outcome.text : "";
}

describe("starting", () => {
  test("gives the runtime the account it is to sign in with [s1.start-options.account-dir]", async () => {
    await using stage = await openFakeStage();
    const accountDir = await temporaryDirectory();
    const initialPrompt = "echo-env FAKE_ACCOUNT";
    const handle = await start(stage, createAgentRuntime(stage), { accountDir, initialPrompt });
    expect(await lastWords(stage, handle)).toBe(accountDir);
  });

  test("refuses an account where the runtime cannot be told of one", async () => {
    const { accountVariable: _, ...alone } = fakeAdapter();
    await using stage = await openFakeStage([{ ...alone, name: "alone" }]);
    const starting = createAgentRuntime(stage).start({
      workDir: stage.cwd,
      runtimeName: "alone",
      accountDir: stage.cwd,
    });
    await expect(starting).rejects.toMatchObject({ code: "unsupported" });
  });

  test("refuses a mode that the host cannot do", async () => {
    await using stage = await openFakeStage();
    const starting = start(stage, createAgentRuntime(stage), { mode: "tmux" });
    await expect(starting).rejects.toBeInstanceOf(HalyardError);
  });

  test("leaves no session behind whose first message is not taken", async () => {
    await using stage = await openFakeStage([busy(Number.POSITIVE_INFINITY)]);
    const runtime = createAgentRuntime({ ...stage, retry: { retries: 1, baseMs: 1 } });
    const starting = start(stage, runtime, { runtimeName: "busy", initialPrompt: "say a" });
    await expect(starting).rejects.toMatchObject({ code: "delivery_failed", message: "busy" });
    expect(await stage.halyard.processes()).toEqual([]);
  });

  test("tells its part in the town to a runtime whose hooks do not", async () => {
    await using stage = await openFakeStage([
      { ...fakeAdapter(), name: "hookless", bootstrap: "say primed" },
    ]);
    const runtime = createAgentRuntime(stage);
    const options = { runtimeName: "hookless", env: { GT_RIG: "greenplace" } };
    expect(await lastWords(stage, await start(stage, runtime, options))).toBe("primed");
    const alone = await start(stage, runtime, { runtimeName: "hookless", initialPrompt: "say a" });
    expect(await lastWords(stage, alone)).toBe("a");
  });

  test("keeps its part in the town for a resume", async () => {
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
    const told = async (name: string) => (await session.send(`echo-env ${name}`).outcome).text;
    expect(await told("GT_SESSION_ID")).toBe(handle.sessionID);
    expect(await told("GT_ROLE")).toBe("crew");
    expect(await told("BD_ACTOR")).toBe("r/crew/max");
    expect(await runtime.listSessions({ rig: "r", role: "crew" })).toEqual([again]);
    expect(await runtime.listSessions({ rig: "other" })).toEqual([]);
  });

  test("runs tools without being asked, and denies at once what is asked nevertheless", async () => {
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

describe("GT_SESSION_ID of the caller", () => {
  const env = { GT_SESSION_ID: "gt-abc123", GT_ROLE: "polecat" };

  test("is the session's id for every method, for its process and after a resume [s1.env.gt-session-id]", async () => {
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

  test("is refused while another session goes by it", async () => {
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

describe("a signal", () => {
  test("gives up every method, and what was begun is undone [s1.ari.context]", async () => {
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

  test("ends a launch that never gets ready", async () => {
    await using stage = await openFakeStage([never()]);
    const runtime = createAgentRuntime(stage);
    const patience = new AbortController();
    const starting = start(stage, runtime, { runtimeName: "never" }, patience);
    await expect.poll(async () => (await runtime.listSessions()).length).toBe(1);
    patience.abort(new Error("too long"));
    await expect(starting).rejects.toThrow("too long");
    await expect.poll(() => stage.halyard.processes()).toEqual([]);
  });

  test("takes back a message that waits for its turn", async () => {
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

test("sessions are found by their directory, however it is written", async () => {
  await using stage = await openFakeStage();
  const runtime = createAgentRuntime(stage);
  const { sessionID } = await start(stage, runtime, { workDir: `${stage.cwd}/` });
  for (const workDir of [stage.cwd, `${stage.cwd}/`, join(stage.cwd, "..", "work", ".")])
    expect(await runtime.listSessions({ workDir })).toMatchObject([{ sessionID }]);
  expect(await runtime.listSessions({ workDir: join(stage.cwd, "..") })).toEqual([]);
});

describe("a message", () => {
  test("goes by the way it names, where the runtime has it [s1.message.delivery-stdin] [s1.message.delivery-rpc]", async () => {
    await using stage = await openFakeStage([{ ...withoutInputs(), name: "embedded" }]);
    const runtime = createAgentRuntime(stage);
    const handle = await start(stage, runtime);
    const byHand = await runtime.sendMessage(handle, { text: "say by hand", delivery: "stdin" });
    expect(byHand).toMatchObject({ delivery: "stdin" });
    expect(await lastWords(stage, handle)).toBe("by hand");
    const byWire = await runtime.sendMessage(handle, { text: "say by wire", delivery: "rpc" });
    expect(byWire).toMatchObject({ delivery: "rpc" });
    const typed = runtime.sendMessage(handle, { text: "say never", delivery: "tmux" });
    await expect(typed).rejects.toMatchObject({
      code: "unsupported",
      message: "fake on the local host gets messages by stdin or rpc, not by tmux",
    });
    const embedded = await start(stage, runtime, { runtimeName: "embedded" });
    const written = runtime.sendMessage(embedded, { text: "say never", delivery: "stdin" });
    await expect(written).rejects.toMatchObject({ code: "unsupported" });
  });

  test("that is not delivered in time fails, and is never delivered [s1.message.timeout]", async () => {
    await using stage = await openFakeStage();
    const runtime = createAgentRuntime(stage);
    const handle = await start(stage, runtime, { initialPrompt: "wait" });
    const waiting = runtime.sendMessage(handle, { text: "tool write x.txt x", timeout: 50 });
    await expect(waiting).rejects.toMatchObject({ code: "timed_out" });
    expect((await runtime.sendMessage(handle, { text: "say b" })).status).toBe("queued");
    const session = await stage.halyard.resume(SessionId.parse(handle.sessionID));
    await session.interrupt();
    expect(await session.send("say c").outcome).toMatchObject({ text: "c" });
    expect(readdirSync(stage.cwd)).toEqual([]);
  });

  test("that waits for a session to get ready fails in time too, and is never delivered", async () => {
    await using stage = await openFakeStage();
    const { halyard, cwd, runtime: name } = stage;
    const options = { startup: "sh while [ ! -e go ]; do sleep 0.01; done" };
    const session = await halyard.start({ runtime: name, cwd, options, permissions: "allow-all" });
    const runtime = createAgentRuntime(stage);
    const [handle] = await runtime.listSessions();
    if (!handle) throw new Error("there is no session");
    const waiting = runtime.sendMessage(handle, { text: "tool write x.txt x", timeout: 50 });
    await expect(waiting).rejects.toMatchObject({ code: "timed_out" });
    writeFileSync(join(cwd, "go"), "");
    expect(await session.send("say a").outcome).toMatchObject({ text: "a" });
    expect(session.info.turns).toBe(1);
    expect(readdirSync(cwd)).toEqual(["go"]);
  });

  test("is waited for until the runtime has it, where there is time", async () => {
    await using stage = await openFakeStage();
    const runtime = createAgentRuntime(stage);
    const handle = await start(stage, runtime, { initialPrompt: "sh sleep 0.3" });
    const receipt = await runtime.sendMessage(handle, { text: "say b", timeout: 20_000 });
    expect(receipt).toEqual({ status: "confirmed", delivery: "stdin" });
  });

  test("that is cancelled while it waits was not delivered", async () => {
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

  test("waits until the runtime is ready, and is tried again while there are attempts left [s1.readiness.strategy]", async () => {
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

  test("is refused where no timer can be set for its time", async () => {
    await using stage = await openFakeStage();
    const runtime = createAgentRuntime(stage);
    const handle = await start(stage, runtime);
    const sending = runtime.sendMessage(handle, { text: "say a", timeout: 2 ** 31 });
    await expect(sending).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("to a session that nobody knows is refused", async () => {
    await using stage = await openFakeStage();
    const runtime = createAgentRuntime(stage);
    const handle = await start(stage, runtime);
    const sending = runtime.sendMessage({ ...handle, sessionID: newSessionId() }, { text: "a" });
    await expect(sending).rejects.toMatchObject({ code: "session_not_found" });
  });
});

test("has the seven methods of the interface", () => {
  expectTypeOf<AgentRuntime>().toMatchTypeOf<{
    resume: (handle: SessionHandle) => Promise<SessionHandle>;
    stop: (handle: SessionHandle, reason: string) => Promise<void>;
    isReady: (handle: SessionHandle) => Promise<boolean>;
    detectRunning: (handle: SessionHandle) => Promise<boolean>;
    listSessions: () => Promise<SessionHandle[]>;
  }>();
});

test("goes on without us where the Halyard is its own", async () => {
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

test("only the canonical names of a session are read outside of adapters [s1.env.canonical-only]", () => {
  const src = fileURLToPath(new URL("../../", import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !/^adapters\/|\.test\.ts$/.test(file),
  );
  const native = /\b(CLAUDE|CODEX|PI|OPENCODE|DROID)_SESSION_ID\b/;
  expect(files.filter((file) => native.test(readFileSync(join(src, file), "utf8")))).toEqual([]);
});

function withoutInputs(): Adapter {
  const { inputs: _, ...adapter } = fakeAdapter();
  return adapter;
}

/** Never gets ready. */
function never(): Adapter {
  const fake = fakeAdapter();
  return {
    ...fake,
    name: "never",
    async connect(request) {
      const connection = await fake.connect(request);
      connection.ready = () => new Promise(() => {});
      return connection;
    },
  };
}

/** Does not take the first messages of each session. */
function busy(times: number): Adapter {
  const fake = fakeAdapter();
  return {
    ...fake,
    name: "busy",
    async connect(request) {
      const connection = await fake.connect(request);
      const send = connection.send.bind(connection);
      let left = times;
      connection.send = async (input) => {
        if (left-- > 0) throw new HalyardError("delivery_failed", "busy");
        return send(input);
      };
      return connection;
    },
  };
}
