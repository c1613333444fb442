import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Asked, type Said, startResponsesModel } from "../../../test/real/responses-model.ts";
import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import type { ConnectRequest } from "../../contracts/adapter.ts";
import type { RequestDraft } from "../../contracts/event-draft.ts";
import { createLocalHost } from "../../hosts/local/index.ts";
import type { Answer } from "../../schema/permission.ts";
import { assistantTexts, Conversation, ofType } from "../../testing/adapter-suite/conversation.ts";
import { eventually } from "../../testing/eventually.ts";
import { ANSWER, FAILING_TOOL, TOOL } from "../../testing/mcp-server/answer.mjs";
import { programServer, startNetworkServer } from "../../testing/mcp-server/index.ts";
import { sampleRequest } from "../../testing/sample-request.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { codexAdapter } from "./index.ts";

interface Stage {
  /** The user's home directory. */
  readonly home: string;
  readonly baseUrl: string;
  readonly cwd: string;
  readonly asked: readonly Asked[];
  open(
    changes?: Partial<ConnectRequest>,
    answer?: (request: RequestDraft) => Answer | undefined,
  ): Promise<Conversation>;
}

async function setStage(answer: (asked: Asked) => readonly Said[]): Promise<Stage> {
  const directory = await temporaryDirectory();
  const model = await startResponsesModel(answer);
  onTestFinished(() => model[Symbol.asyncDispose]());
  const [cwd, stateDir] = [join(directory, "work"), join(directory, "state")];
  const env = { PATH: process.env.PATH, HOME: directory };
  const adapter = codexAdapter({ env, runtimesDir });
  const host = createLocalHost();
  await mkdir(cwd);
  let runs = 0;
  return {
    home: directory,
    baseUrl: model.baseUrl,
    cwd,
    asked: model.asked,
    async open(changes = {}, onRequest = () => undefined) {
      const request = sampleRequest({
        cwd,
        host,
        runDir: join(directory, `run-${++runs}`),
        stateDir,
        permissions: "allow-all",
        model: { id: "gpt-5.5", baseUrl: model.baseUrl, apiKey: "sk-nothing" },
        ...changes,
      });
      const connection = await adapter.connect(request);
      const conversation = new Conversation(connection, onRequest);
      onTestFinished(() => conversation[Symbol.asyncDispose]());
      await connection.ready();
      return conversation;
    },
  };
}

test("completes a turn whose response reached the token limit", async () => {
  const { open } = await setStage(() => [{ text: "Once upon a ti" }, { end: "incomplete" }]);
  const { drafts, end } = await (await open()).turn("tell");
  expect(assistantTexts(drafts)).toEqual(["Once upon a ti"]);
  expect(end).toMatchObject({ status: "completed", stopReason: "max_tokens" });
});

test("abandons a message if the model's response fails after it", async () => {
  let tries = 0;
  const { open } = await setStage(() =>
    ++tries === 1 ? [{ text: "first" }, { end: "failed" }] : [{ text: "second" }],
  );
  const { drafts, end } = await (await open()).turn("go");
  expect(ofType(drafts, "delta").map(({ text }) => text)).toEqual(["first", "second"]);
  expect(assistantTexts(drafts)).toEqual(["second"]);
  expect(ofType(drafts, "system")).toContainEqual(
    expect.objectContaining({ subtype: "retry", text: expect.stringContaining("FELL") }),
  );
  expect(end).toMatchObject({ status: "completed", usage: { inputTokens: 10, outputTokens: 2 } });
});

test("maps the patch tool to an edit with its diff", async () => {
  const input = "*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** End Patch\n";
  const { cwd, open } = await setStage(({ toolOutput }) =>
    toolOutput ? [{ text: "Done." }] : [{ custom: "apply_patch", input }],
  );
  const { drafts } = await (await open()).turn("write");
  expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("one\ntwo\n");
  const diff = `--- /dev/null\n+++ ${cwd}/a.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n`;
  expect(ofType(drafts, "tool_call")).toMatchObject([
    { name: "apply_patch", kind: "edit", input: { path: join(cwd, "a.txt"), diff } },
  ]);
  expect(ofType(drafts, "tool_result")).toMatchObject([{ isError: false, diff }]);
});

test("returns the plan as the outcome of a planning turn, and forwards each question as a separate request", async () => {
  const questions = ["Which color?", "Which size?"].map((question, index) => ({
    id: `q${index}`,
    header: "Taste",
    question,
    options: [
      { label: "Red", description: "warm" },
      { label: "Blue", description: "cold" },
    ],
  }));
  const plan = "# The plan\n- paint it blue\n";
  const { asked, open } = await setStage(({ toolOutput }) =>
    toolOutput === undefined
      ? [{ call: "request_user_input", input: { questions } }]
      : [{ text: `Here:\n<proposed_plan>\n${plan}</proposed_plan>\n` }],
  );
  const conversation = await open({ plan: true }, ({ text }) =>
    text === "Which color?"
      ? { decision: "allow", optionId: "Blue" }
      : { decision: "allow", text: "as large as it gets" },
  );
  const { drafts, end } = await conversation.turn("paint");
  expect(ofType(drafts, "request")).toMatchObject([
    { kind: "question", text: "Which color?", options: [{ id: "Red" }, { id: "Blue" }] },
    { kind: "question", text: "Which size?" },
  ]);
  expect(asked.at(-1)?.toolOutput).toContain("Blue");
  expect(asked.at(-1)?.toolOutput).toContain("as large as it gets");
  expect(assistantTexts(drafts)).toContain(plan);
  expect(end).toMatchObject({ status: "completed", text: plan });
});

test("leaves plan mode when the session is resumed without plan mode", async () => {
  const { cwd, open } = await setStage(({ user, toolOutput }) =>
    user !== "act" || toolOutput
      ? [{ text: "Ready." }]
      : [{ call: "exec_command", input: { cmd: "touch acted" } }],
  );
  const first = await open({ plan: true });
  await first.turn("plan");
  const { runtimeSessionId: resume = "" } = await first.connection.ready();
  await first[Symbol.asyncDispose]();
  const second = await open({ resume });
  await second.turn("act");
  expect(await readFile(join(cwd, "acted"), "utf8")).toBe("");
});

test("requests permission for an MCP server's tools, and reports their results and failures", async () => {
  const { open } = await setStage(({ user, toolOutput }) =>
    toolOutput ? [{ text: "Done." }] : [{ call: user, input: { a: 1 }, namespace: "mcp__depths" }],
  );
  const options = { mcpServers: { depths: programServer("/dev/null") } };
  let decision: Answer["decision"] = "allow";
  const conversation = await open({ permissions: "ask", options }, () => ({ decision }));
  const measured = await conversation.turn(TOOL);
  const [call] = ofType(measured.drafts, "tool_call");
  const name = `mcp__depths__${TOOL}`;
  expect(call).toMatchObject({ name, kind: "other", input: { a: 1 } });
  expect(ofType(measured.drafts, "request")).toMatchObject([
    { kind: "permission", callId: call?.callId, tool: { name } },
  ]);
  expect(ofType(measured.drafts, "tool_result")).toMatchObject([
    { output: ANSWER, isError: false },
  ]);
  const failed = await conversation.turn(FAILING_TOOL);
  expect(ofType(failed.drafts, "tool_result")).toMatchObject([{ isError: true }]);
  decision = "deny";
  const denied = await conversation.turn(TOOL);
  expect(ofType(denied.drafts, "tool_result")).toMatchObject([{ isError: true }]);
  expect(denied.end.status).toBe("completed");
});

test("connects an MCP server over HTTP in addition to the servers in Codex's own settings", async () => {
  await using http = await startNetworkServer("http", "sk-of-the-depths");
  const { open } = await setStage(({ user: server, toolOutput }) =>
    toolOutput ? [{ text: "Done." }] : [{ call: TOOL, input: {}, namespace: `mcp__${server}` }],
  );
  const config = { mcp_servers: { own: programServer("/dev/null") } };
  const conversation = await open({ options: { config, mcpServers: { away: http.server } } });
  for (const server of ["own", "away"]) {
    const { drafts } = await conversation.turn(server);
    expect(ofType(drafts, "tool_call")).toMatchObject([{ name: `mcp__${server}__${TOOL}` }]);
    expect(ofType(drafts, "tool_result")).toMatchObject([{ output: ANSWER, isError: false }]);
  }
});

test("reports a subagent's tool calls and requests, but neither its messages nor its end", async () => {
  const namespace = "multi_agent_v1";
  const { open } = await setStage(({ user, toolOutput, body }) => {
    if (body.includes("child done")) return [{ text: "All done." }];
    if (user.includes("CHILD"))
      return toolOutput
        ? [{ text: "child done" }]
        : [{ call: "exec_command", input: { cmd: "echo from below" } }];
    const agent = /agent_id\W+([\w-]+)/.exec(toolOutput ?? "")?.[1];
    if (agent) return [{ call: "wait_agent", input: { targets: [agent] }, namespace }];
    return [{ call: "spawn_agent", input: { message: "CHILD" }, namespace }];
  });
  const conversation = await open({ permissions: "ask" }, () => ({ decision: "allow" }));
  const { drafts, end } = await conversation.turn("delegate");
  const [first, ...others] = ofType(drafts, "tool_call").map(({ name }) => name);
  expect([first, others.sort()]).toEqual(["spawnAgent", ["shell", "wait"]]); // both agents work at the same time
  const results = ofType(drafts, "tool_result").map(({ output }) => output);
  expect(results).toEqual(expect.arrayContaining(["from below\n", "child done"]));
  expect(assistantTexts(drafts)).toEqual(["All done."]);
  expect(end).toMatchObject({ status: "completed", usage: { inputTokens: 50 } });
});

test("requests permission for every command and patch under `deny`, and runs none that is denied", async () => {
  const patch = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n";
  const { cwd, open } = await setStage(({ user, toolOutput }) => {
    if (toolOutput) return [{ text: "Done." }];
    if (user === "patch") return [{ custom: "apply_patch", input: patch }];
    return [{ call: "exec_command", input: { cmd: user } }];
  });
  await writeFile(join(cwd, "note"), "seen");
  const conversation = await open({ permissions: "deny" }, () => ({ decision: "deny" }));
  for (const [message, kind] of [
    ["cat note", "execute"],
    ["touch a.txt", "execute"],
    ["patch", "edit"],
  ] as const) {
    const { drafts } = await conversation.turn(message);
    expect(ofType(drafts, "request"), message).toMatchObject([{ tool: { kind } }]);
    expect(ofType(drafts, "tool_result"), message).toMatchObject([{ isError: true }]);
  }
  expect(await readdir(cwd)).toEqual(["note"]);
});

test.each([
  ["off", "none"],
  ["high", "high"],
  ["max", "xhigh"],
] as const)("passes the reasoning level %s to the model", async (reasoning, effort) => {
  const { asked, open } = await setStage(() => [{ text: "Hm." }]);
  await (await open({ reasoning })).turn("think");
  expect(JSON.parse(asked[0]?.body ?? "")).toMatchObject({ reasoning: { effort } });
});

test("signs in with the user's login without changing it", async () => {
  const { asked, baseUrl, home, open } = await setStage(() => [{ text: "Hello." }]);
  const login = JSON.stringify({ auth_mode: "apikey", OPENAI_API_KEY: "sk-login" });
  await mkdir(join(home, ".codex"));
  await writeFile(join(home, ".codex", "auth.json"), login);
  const options = { config: { openai_base_url: baseUrl } };
  const conversation = await open({ model: { id: "gpt-5.5" }, options });
  expect((await conversation.turn("greet me")).end.status).toBe("completed");
  expect(asked.map(({ authorization }) => authorization)).toEqual(["Bearer sk-login"]);
  expect(await readdir(join(home, ".codex"))).toEqual(["auth.json"]);
  expect(await readFile(join(home, ".codex", "auth.json"), "utf8")).toBe(login);
});

test("maps a web search to a tool call", async () => {
  const action = { type: "search", query: "sails" };
  const item = { type: "web_search_call", status: "completed", action };
  const { open } = await setStage(() => [{ item }, { text: "Found." }]);
  const { drafts } = await (await open()).turn("look it up");
  expect(ofType(drafts, "tool_call")).toMatchObject([
    { name: "web_search", kind: "search", input: { query: "sails" } },
  ]);
});

test("stops the turn's own commands on cancel, and leaves commands of earlier turns running", async () => {
  const { cwd, open } = await setStage(({ user, toolOutput }) => {
    if (user === "serve" && toolOutput) return [{ text: "It serves." }];
    const cmd = `echo $$ > ${user}.pid; exec sleep 300`;
    return [{ call: "exec_command", input: { cmd, yield_time_ms: 300 } }];
  });
  const conversation = await open();
  const served = await conversation.turn("serve");
  expect(ofType(served.drafts, "tool_result")).toMatchObject([{ isError: false }]);
  const server = await pidIn(join(cwd, "serve.pid"));
  for (const name of ["first", "second", "third"]) {
    const from = conversation.drafts.length;
    await conversation.send(name);
    const pid = await pidIn(join(cwd, `${name}.pid`));
    await conversation.connection.cancel();
    expect((await conversation.finishedTurn(from)).end.status).toBe("cancelled");
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
  }
  expect(process.kill(server, 0)).toBe(true);
});

function pidIn(file: string): Promise<number> {
  const read = async () => {
    const pid = Number(await readFile(file, "utf8"));
    if (!(pid > 1)) throw new Error("not yet");
    return pid;
  };
  return vi.waitFor(read, { timeout: 10_000, interval: 5 });
}
