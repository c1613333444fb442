import { describe, expect, test } from "vitest";
import { saidIn, startFakeAgent } from "../../../test/fake/fake-conversation.ts";
import type { EventDraft } from "../../contracts/event-draft.ts";
import { readProcess } from "../../hosts/local/process-table.ts";
import { Limits } from "../../schema/session/start-request.ts";

const types = (drafts: readonly EventDraft[]) => drafts.map(({ type }) => type);
const warningsIn = (drafts: readonly EventDraft[]) =>
  drafts.flatMap((draft) =>
    draft.type === "system" && draft.subtype === "warning" ? [draft.text] : [],
  );

describe("agent that dies", () => {
  test.each([
    ["die", "fake ended with exit code 1"],
    ["die 3", "fake ended with exit code 3"],
    ["die SIGKILL", "fake was killed by SIGKILL"],
    ["stderr out of memory; die", "fake ended with exit code 1: out of memory"],
  ])("during a turn, with %j, is read to the end of its output", async (script, message) => {
    const agent = await startFakeAgent();
    expect(await agent.send(`say goodbye; ${script}`)).toEqual({ status: "confirmed" });
    expect(await agent.end).toMatchObject({ code: "agent_exited", message });
    expect(saidIn(agent.drafts)).toEqual(["goodbye"]);
    expect(types(agent.drafts)).not.toContain("completion");
  });

  test("causes a warning if it dies in the middle of a line", async () => {
    const agent = await startFakeAgent();
    await agent.send("half-line then die");
    expect(await agent.end).toMatchObject({ code: "agent_exited" });
    expect(warningsIn(agent.drafts)).toEqual([
      'fake wrote a line that is not JSON: {"type":"text","messageId":"m1.1","te',
    ]);
  });

  test("rejects ready() with the reason if it dies at its start", async () => {
    const agent = await startFakeAgent({ options: { startup: "stderr no key; die 3" } });
    const reason = { code: "agent_exited", message: "fake ended with exit code 3: no key" };
    await expect(agent.connection.ready()).rejects.toMatchObject(reason);
    await expect(agent.send("say hello")).rejects.toMatchObject(reason);
  });

  test("rejects a prompt that it has not read when it exits", async () => {
    const agent = await startFakeAgent();
    await agent.run("deaf");
    const sent = expect(agent.send("say hello")).rejects.toMatchObject({ code: "agent_exited" });
    await agent.connection[Symbol.asyncDispose]();
    await sent;
  });
});

describe("agent that stops responding", () => {
  test.each([
    ["hang", "delta"],
    ["hang tool", "tool_call"],
  ] as const)("with %j ignores a cancel and is terminated on disposal", async (script, last) => {
    const agent = await startFakeAgent();
    await agent.send(`say a; ${script}`);
    await agent.connection.cancel();
    await agent.until(last);
    await agent.connection[Symbol.asyncDispose]();
    expect(await agent.end).toMatchObject({ message: "fake was killed by SIGTERM" });
    expect(types(agent.drafts)).not.toContain("completion");
    expect(types(agent.drafts)).not.toContain("tool_result");
  });

  test("is never ready if it stops responding at its start", async () => {
    const agent = await startFakeAgent({ options: { startup: "garbage; hang" } });
    await agent.until("system");
    await agent.connection[Symbol.asyncDispose]();
    await expect(agent.connection.ready()).rejects.toMatchObject({ code: "agent_exited" });
  });
});

describe("agent that does not exit", () => {
  test("is killed if it ignores SIGTERM", async () => {
    const agent = await startFakeAgent({ limits: Limits.parse({ stopMs: 100 }) });
    await agent.run("ignore-sigterm");
    await agent.connection[Symbol.asyncDispose]();
    expect(await agent.end).toMatchObject({ message: "fake was killed by SIGKILL" });
  });

  test("leaves no orphan and no detached process behind on disposal", async () => {
    const agent = await startFakeAgent();
    const [pids = ""] = saidIn(await agent.run("grandchild"));
    const running = pids.split(" ").map(Number);
    expect(running.map(isRunning)).toEqual([true, true]);
    await agent.connection[Symbol.asyncDispose]();
    expect(running.map(isRunning)).toEqual([false, false]);
  });

  const isRunning = (pid: number) => readProcess(pid)?.ended === false;
});

describe("agent with too much output", () => {
  test.each(["flood 200000", "flood 200000 slow"])("%j is read completely", async (script) => {
    const agent = await startFakeAgent();
    const drafts = await agent.run(script);
    const said = drafts.flatMap((draft) => (draft.type === "delta" ? [draft.text] : []));
    expect(said).toEqual(Array.from({ length: 200_000 }, (_, i) => `${i} `));
  });

  test("can write a line of 50 MiB, which is read completely", async () => {
    const agent = await startFakeAgent();
    const [text] = saidIn(await agent.run(`long-line ${50 * 1024 * 1024}`));
    expect(text).toHaveLength(50 * 1024 * 1024);
  });

  test("can write a line over the limit, which is skipped with an error", async () => {
    const agent = await startFakeAgent();
    const drafts = await agent.run(`long-line ${64 * 1024 * 1024}; say sorry`);
    expect(drafts.find(({ type }) => type === "error")).toMatchObject({ code: "line_too_long" });
    expect(saidIn(drafts)).toEqual(["sorry"]);
  });

  test.each(["late", "double-end"])(
    "can write after the end of its turn (%s), and that output belongs to no turn",
    async (text) => {
      const agent = await startFakeAgent();
      await agent.send(text);
      const end = await agent.until("completion");
      const after = agent.drafts.indexOf(end) + 1;
      expect(await agent.until("system", after)).toMatchObject({ subtype: "raw" });
    },
  );
});

describe("agent with malformed output", () => {
  test("causes a warning, and reading continues with the next line", async () => {
    const agent = await startFakeAgent();
    const drafts = await agent.run("garbage; future; say sorry");
    expect(warningsIn(drafts)).toEqual([
      "fake wrote a line that is not JSON: Warning: this is no JSON",
      'fake wrote a line that is not JSON: {"cut":',
    ]);
    const raw = { type: "system", subtype: "raw" };
    expect(drafts).toContainEqual({ ...raw, data: { message: 42 } });
    expect(drafts).toContainEqual({
      ...raw,
      data: { message: { type: "hologram", shape: "cube" } },
    });
    expect(saidIn(drafts)).toEqual(["sorry"]);
  });

  test("is decoded with replacement characters for invalid bytes", async () => {
    const agent = await startFakeAgent();
    const drafts = await agent.run("bad-utf8");
    expect(warningsIn(drafts)).toHaveLength(1);
    expect(await agent.until("delta")).toMatchObject({ text: "a bad \ufffd byte" });
  });

  test("accepts the next prompt after a turn without a completion", async () => {
    const agent = await startFakeAgent();
    await agent.send("no-end");
    expect(saidIn(await agent.run("say next"))).toEqual(["next"]);
    expect(types(agent.drafts).filter((type) => type === "completion")).toHaveLength(1);
  });

  test("reports another session id if it has forgotten the session to resume", async () => {
    const first = await startFakeAgent();
    await first.run("say hello");
    const { runtimeSessionId = "" } = await first.connection.ready();
    const { stateDir } = first.request;
    const options = { startup: "forget" };
    const second = await startFakeAgent({ stateDir, resume: runtimeSessionId, options });
    const handshake = await second.connection.ready();
    expect(handshake.runtimeSessionId).not.toBe(runtimeSessionId);
    expect(handshake.resumable).toBe(false);
  });
});
