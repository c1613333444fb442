import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import type { McpServer } from "../../schema/mcp-server.ts";
import { eventually } from "../eventually.ts";
import { ANSWER, TOOL } from "../mcp-server/answer.mjs";
import { programServer, startNetworkServer } from "../mcp-server/index.ts";
import type { AdapterTest } from "./adapter-test.ts";
import { assistantTexts, type FinishedTurn, ofType } from "./conversation.ts";
import { publicFilesWith } from "./files.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";
import type { ConnectOptions, Stage } from "./stage.ts";

/** Tests the capability `mcp`: the model uses the tools, and a server's keys do not leak. */
export function describeMcp(test: AdapterTest, runtime: RuntimeUnderTest): void {
  const { missesServerFailures = false, missesSse = false, tools } = runtime;
  describeMcpTools(test, runtime);

  test("uses a server over SSE, or rejects it as unsupported", async ({ stage }) => {
    await using sse = await startNetworkServer("sse", "sk-of-the-depths");
    const measured = measure(stage, runtime, sse.server);
    if (!missesSse) await measured;
    else await expect(measured).rejects.toMatchObject({ code: "unsupported" });
  });

  test("stops a stdio server with the session", async ({ stage }) => {
    const file = join(stage.directory, "server.json");
    const depths = programServer(file, { DEPTHS_KEY: "sk-of-the-depths", ...stage.mark });
    stage.model.on("greet", { text: "Hello." });
    const conversation = await stage.open({ options: { mcpServers: { depths } } });
    await conversation.turn("greet me");
    const left = async () => Left.parse(JSON.parse(await readFile(file, "utf8")));
    const { pid, env } = await eventually(left);
    expect(env).toMatchObject({ DEPTHS_KEY: "sk-of-the-depths" });
    expect(JSON.stringify(env)).not.toContain(stage.model.endpoint(stage.apis[0]).apiKey);
    expect(stage.survivors()).toContain(pid);
    await conversation[Symbol.asyncDispose]();
    await eventually(() => expect(stage.survivors()).toEqual([]));
  });

  test("hides a server's keys from commands and other users", async ({ stage }) => {
    const key = `sk-${randomUUID()}`;
    await using http = await startNetworkServer("http", key);
    const file = join(stage.directory, "server.json");
    const depths = programServer(file, { DEPTHS_KEY: key });
    stage.model.on("look", { toolCalls: [tools.shell("env")] }, { text: "Done." });
    const conversation = await stage.open({
      options: { mcpServers: { depths, shallows: http.server } },
    });
    await conversation.turn("look around");
    expect(JSON.stringify(conversation.drafts)).not.toContain(key);
    expect(await publicFilesWith(stage.directory, key)).toEqual([]);
    expect(await commandLines(stage)).not.toContain(key);
  });

  test("does not use another session's servers", async ({ shared }) => {
    const mcpServers = { depths: programServer(join(shared.directory, "server.json")) };
    const options = { mcpServers };
    shared.model.on("greet", { text: "Hello." });
    await using one = await shared.open({ options });
    await using other = await shared.open();
    await one.turn("greet me");
    await other.turn("greet the others");
    const theirs = shared.model.requests.filter(({ messages }) =>
      messages.some(({ role, text }) => role === "user" && text.includes("the others")),
    );
    expect(theirs).not.toEqual([]);
    const offered = theirs.flatMap(({ tools }) => tools);
    expect(offered.filter((name) => name.includes(TOOL))).toEqual([]);
  });

  test.skipIf(missesServerFailures)(
    "warns about a server that is not available",
    async ({ stage }) => {
      stage.model.on("greet", { text: "Hello." });
      const depths = { command: join(stage.directory, "nowhere"), args: [], env: {} };
      const conversation = await stage.open({ options: { mcpServers: { depths } } });
      const { drafts } = await conversation.turn("greet me");
      expect(assistantTexts(drafts)).toEqual(["Hello."]);
      const warning = { subtype: "warning", text: expect.stringContaining("depths") };
      await eventually(() =>
        expect(ofType(conversation.drafts, "system")).toContainEqual(
          expect.objectContaining(warning),
        ),
      );
    },
  );
}

/** Tests MCP tools with a scripted model. */
export function describeMcpTools(test: AdapterTest, runtime: RuntimeUnderTest): void {
  const testCalls = test.skipIf(runtime.tools.mcp === undefined);

  testCalls("uses a stdio server after permission is granted", async ({ stage }) => {
    const depths = programServer(join(stage.directory, "server.json"));
    const { drafts } = await measure(stage, runtime, depths, {
      permissions: "ask",
      answer: () => ({ decision: "allow" }),
    });
    const [call] = ofType(drafts, "tool_call");
    expect(ofType(drafts, "request")).toMatchObject([{ tool: { name: call?.name } }]);
  });

  testCalls("uses a server over HTTP", async ({ stage }) => {
    await using http = await startNetworkServer("http", "sk-of-the-depths");
    await measure(stage, runtime, http.server);
  });
}

/** The content of the file that the server writes. */
const Left = z.looseObject({ pid: z.number(), env: z.record(z.string(), z.string()) });

/** Runs a turn in which the model calls the server's tool. */
async function measure(
  stage: Stage,
  { tools }: RuntimeUnderTest,
  depths: McpServer,
  options: ConnectOptions = {},
): Promise<FinishedTurn> {
  const call = tools.mcp?.("depths", TOOL);
  stage.model.on("measure", { toolCalls: call ? [call] : [] }, { text: "It is deep." });
  const conversation = await stage.open({ ...options, options: { mcpServers: { depths } } });
  const turn = await conversation.turn("measure the depth");
  const { drafts, end } = turn;
  expect(ofType(drafts, "tool_call")).toMatchObject([
    { name: expect.stringContaining(TOOL), kind: "other" },
  ]);
  expect(ofType(drafts, "tool_result")).toMatchObject([
    { isError: false, output: expect.stringContaining(ANSWER) },
  ]);
  const received = stage.model.requests.at(-1)?.messages.map(({ text }) => text);
  expect(received).toContainEqual(expect.stringContaining(ANSWER));
  expect(assistantTexts(drafts)).toEqual(["It is deep."]);
  expect(end.status).toBe("completed");
  return turn;
}

/** Returns the command lines of the test's processes, which every user can read. */
async function commandLines(stage: Stage): Promise<string> {
  const lines = stage
    .survivors()
    .map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""));
  return (await Promise.all(lines)).join("\n");
}
