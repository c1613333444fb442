import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { saidIn, startFakeAgent } from "../../../test/fake/fake-conversation.ts";

describe("a turn", () => {
  test("emits all its drafts in order", async () => {
    const agent = await startFakeAgent();
    expect(await agent.run("think hard; say hello there")).toEqual([
      {
        type: "system",
        subtype: "status",
        data: {
          runtimeSessionId: (await agent.connection.ready()).runtimeSessionId,
          resumable: true,
        },
      },
      { type: "delta", channel: "reasoning", messageId: "m1.1", text: "hard" },
      { type: "message", role: "assistant", channel: "reasoning", messageId: "m1.1", text: "hard" },
      { type: "delta", channel: "text", messageId: "m1.2", text: "hello" },
      { type: "delta", channel: "text", messageId: "m1.2", text: " there" },
      {
        type: "message",
        role: "assistant",
        channel: "text",
        messageId: "m1.2",
        text: "hello there",
      },
      { type: "completion", status: "completed", usage: { inputTokens: 5, outputTokens: 3 } },
    ]);
  });

  test("is confirmed when the agent accepts the prompt", async () => {
    const agent = await startFakeAgent();
    expect(await agent.send("say hello")).toEqual({ status: "confirmed" });
  });

  test("is rejected while another turn runs", async () => {
    const agent = await startFakeAgent();
    await agent.send("wait");
    await expect(agent.send("say hello")).rejects.toMatchObject({
      code: "delivery_failed",
      message: "a turn is running",
    });
  });

  test("can write the current time repeatedly", async () => {
    const agent = await startFakeAgent();
    const before = process.hrtime.bigint();
    const drafts = await agent.run("tick 3 1");
    const times = drafts.flatMap((draft) => (draft.type === "delta" ? [BigInt(draft.text)] : []));
    const all = [before, ...times, process.hrtime.bigint()];
    expect(times).toHaveLength(3);
    expect(all).toEqual(all.toSorted((a, b) => Number(a - b)));
  });

  test("fails with the agent's error, and fails if its command is unknown", async () => {
    const agent = await startFakeAgent();
    expect((await agent.run("fail the model is asleep")).at(-1)).toMatchObject({
      status: "failed",
      error: { code: "agent_failed", message: "the model is asleep", retryable: false },
    });
    expect((await agent.run("dance")).at(-1)).toMatchObject({
      error: { message: "unknown command: dance" },
    });
  });

  test("uses another message id after a retry", async () => {
    const agent = await startFakeAgent();
    const drafts = await agent.run("retry once more");
    expect(drafts.slice(1, -1)).toEqual([
      { type: "delta", channel: "text", messageId: "m1.1", text: "once" },
      { type: "system", subtype: "retry", text: "the stream was cut" },
      { type: "delta", channel: "text", messageId: "m1.2", text: "once" },
      { type: "delta", channel: "text", messageId: "m1.2", text: " more" },
      { type: "message", role: "assistant", channel: "text", messageId: "m1.2", text: "once more" },
    ]);
  });

  test("accepts a prompt of a million characters", async () => {
    const agent = await startFakeAgent();
    const text = "ä".repeat(1_000_000);
    expect(saidIn(await agent.run(`count ${text}`))).toEqual(["1000000 characters"]);
  });
});

describe("a script", () => {
  test("treats a separator as text if no command follows", async () => {
    const agent = await startFakeAgent();
    const drafts = await agent.run("say now; and then; again then say never then; say end");
    expect(saidIn(drafts)).toEqual(["now; and then; again", "never then", "end"]);
  });

  test("receives the environment of the session, but not that of the test process", async () => {
    const agent = await startFakeAgent({ env: { COLOUR: "blue" } });
    expect(saidIn(await agent.run("echo-env COLOUR; echo-env VITEST"))).toEqual(["blue", "unset"]);
  });

  test("receives the session's options as arguments", async () => {
    const agent = await startFakeAgent({
      permissions: "ask",
      plan: true,
      model: { id: "small" },
      reasoning: "low",
      systemPrompt: "- be brief",
    });
    const [args] = saidIn(await agent.run("echo-args"));
    expect(args).toContain("--ask --plan --model=small --reasoning=low --system-prompt=- be brief");
  });
});

describe("a tool", () => {
  test("writes and reads files", async () => {
    const agent = await startFakeAgent();
    const drafts = await agent.run("tool write notes/a.txt hello there; tool read notes/a.txt");
    expect(drafts.slice(1, -1)).toEqual([
      {
        type: "tool_call",
        callId: "c1.1",
        name: "write",
        kind: "edit",
        input: { file: "notes/a.txt", content: "hello there" },
      },
      { type: "tool_result", callId: "c1.1", output: "wrote notes/a.txt", isError: false },
      {
        type: "tool_call",
        callId: "c1.2",
        name: "read",
        kind: "read",
        input: { file: "notes/a.txt" },
      },
      { type: "tool_result", callId: "c1.2", output: "hello there", isError: false },
    ]);
    expect(readFileSync(join(agent.request.cwd, "notes/a.txt"), "utf8")).toBe("hello there");
  });

  test("runs a shell command and reports its output and exit code", async () => {
    const agent = await startFakeAgent();
    await agent.send("sh echo out; echo err >&2; exit 3");
    expect(await agent.until("tool_result")).toMatchObject({
      output: "out\nerr\n",
      isError: true,
      exitCode: 3,
    });
  });

  test("changes no file in a planning session", async () => {
    const agent = await startFakeAgent({ plan: true });
    await agent.run("tool write a.txt x");
    expect(await agent.until("tool_result")).toMatchObject({
      output: "refused while planning",
      isError: true,
    });
    expect(existsSync(join(agent.request.cwd, "a.txt"))).toBe(false);
  });
});

describe("a request", () => {
  test.each([
    ["allow", "wrote a.txt", true],
    ["deny", "denied: not today", false],
  ] as const)("for permission accepts the answer %s", async (decision, output, isWritten) => {
    const agent = await startFakeAgent({ permissions: "ask" });
    await agent.send("tool write a.txt x");
    const request = await agent.until("request");
    expect(request).toMatchObject({
      kind: "permission",
      text: "May I use write?",
      callId: "c1.1",
      tool: { name: "write", kind: "edit", input: { file: "a.txt", content: "x" } },
    });
    await agent.connection.answer(request.nativeId, { decision, text: "not today" });
    expect(await agent.until("tool_result")).toMatchObject({ callId: "c1.1", output });
    expect(existsSync(join(agent.request.cwd, "a.txt"))).toBe(isWritten);
  });

  test("accepts text as the answer to a question", async () => {
    const agent = await startFakeAgent();
    await agent.send("question Which colour?");
    const { nativeId, options } = await agent.until("request");
    expect(options.map(({ id }) => id)).toEqual(["yes", "no"]);
    await agent.connection.answer(nativeId, { decision: "allow", text: "blue" });
    await agent.until("completion");
    expect(saidIn(agent.drafts)).toEqual(["blue"]);
  });
});

describe("steering", () => {
  test("runs a steered message in the running turn", async () => {
    const agent = await startFakeAgent();
    await agent.send("wait; say first");
    expect(await agent.steer("say second")).toEqual({ status: "confirmed" });
    await agent.until("completion");
    expect(saidIn(agent.drafts)).toEqual(["first", "second"]);
  });

  test("is rejected if no turn runs", async () => {
    const agent = await startFakeAgent();
    await expect(agent.steer("say hello")).rejects.toMatchObject({ code: "delivery_failed" });
  });
});

describe("cancelling", () => {
  test.each(["wait", "ask", "question Why?", "flood 100000000", "sh sleep 60"])(
    "ends %j, and the agent stays usable",
    async (script) => {
      const agent = await startFakeAgent();
      await agent.send(`${script}; say never`);
      await agent.connection.cancel();
      expect(await agent.until("completion")).toMatchObject({ status: "cancelled" });
      expect(saidIn(await agent.run("say still here"))).toEqual(["still here"]);
    },
  );
});

describe("a session", () => {
  test("keeps its conversation when it is resumed", async () => {
    const first = await startFakeAgent();
    const { runtimeSessionId = "", resumable } = await first.connection.ready();
    expect(resumable).toBe(false);
    await first.run("say remember me");
    await first.connection[Symbol.asyncDispose]();

    const { stateDir } = first.request;
    const second = await startFakeAgent({ stateDir, resume: runtimeSessionId });
    expect(await second.connection.ready()).toMatchObject({ runtimeSessionId, resumable: true });
    expect(saidIn(await second.run("recall"))).toEqual(["say remember me"]);
    expect(await second.until("message")).toMatchObject({ messageId: "m2.1" });
  });

  test("is not resumed if its id is unknown", async () => {
    const agent = await startFakeAgent({ resume: "nosuch" });
    await expect(agent.connection.ready()).rejects.toMatchObject({
      code: "runtime_session_not_found",
    });
    expect(await agent.end).toMatchObject({ code: "agent_exited" });
  });
});

describe("attaching", () => {
  test("continues a running turn at the given cursor, without gaps or duplicates", async () => {
    const first = await startFakeAgent();
    const { runtimeSessionId = "" } = await first.connection.ready();
    await first.send("stream 100; wait; stream 100");
    await first.until("message");
    const logged = first.outputs.slice(0, 42);
    await first.connection.detach();
    expect(await first.end).toBeUndefined();

    const cursor = logged.at(-1)?.cursor ?? 0;
    const attach = { cursor, turnCursor: 0, runtimeSessionId };
    const second = await startFakeAgent({ ...first.request, attach });
    expect(await second.connection.ready()).toMatchObject({ runtimeSessionId });
    await second.steer("say goodbye");
    await second.until("completion");
    const all = [...logged, ...second.outputs].flatMap(({ drafts }) => drafts);
    expect(all.filter(({ type }) => type === "delta")).toHaveLength(201);
    expect(saidIn(all).at(-1)).toBe("goodbye");
  });

  test("reads the remaining output of an exited agent", async () => {
    const first = await startFakeAgent();
    await first.send("say last words; die");
    await first.end;
    const second = await startFakeAgent({ ...first.request, attach: { cursor: 0, turnCursor: 0 } });
    await second.end;
    expect(second.drafts).toEqual(first.drafts);
  });

  test("fails if no agent was started", async () => {
    await expect(startFakeAgent({ attach: { cursor: 0, turnCursor: 0 } })).rejects.toMatchObject({
      code: "lost",
    });
  });
});
