import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { z } from "zod";
import type { McpServer } from "../../schema/mcp-server.ts";
import { eventually } from "../eventually.ts";
import { ANSWER, TOOL } from "../mcp-server/answer.mjs";
import { programServer, startNetworkServer } from "../mcp-server/index.ts";
import type { AdapterTest } from "./adapter-test.ts";
import { assistantTexts, ofType } from "./conversation.ts";
import { publicFilesWith } from "./files.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";
import type { Stage } from "./stage.ts";

/** Tests the capability `mcp`: the model uses the tools, and a server's keys do not leak. */
export function describeMcp(test: AdapterTest, runtime: RuntimeUnderTest): void {
  const { missesServerFailures = false, missesSse = false, tools } = runtime;
  describeMcpTools(test, runtime, missesSse ? ["http"] : ["http", "sse"]);

  test.runIf(missesSse)("rejects an MCP server over SSE as unsupported", async ({ shared }) => {
    const depths = { type: "sse", url: "http://127.0.0.1:9/mcp", headers: {} } as const;
    const opened = shared.open({ options: { mcpServers: { depths } } });
    await expect(opened).rejects.toMatchObject({ code: "unsupported" });
  });

  test("hides the keys of MCP servers from commands, events and other users, and stops a stdio server with the session", async ({
    stage,
  }) => {
    const key = `sk-${randomUUID()}`;
    await using http = await startNetworkServer("http", key);
    const file = join(stage.directory, "server.json");
    const depths = programServer(file, { DEPTHS_KEY: key, ...stage.mark });
    stage.model.on("look", { toolCalls: [tools.shell("env")] }, { text: "Done." });
    const conversation = await stage.open({
      options: { mcpServers: { depths, shallows: http.server } },
    });
    await conversation.turn("look around");
    const left = async () => Left.parse(JSON.parse(await readFile(file, "utf8")));
    const { pid, env } = await eventually(left);
    expect(env).toMatchObject({ DEPTHS_KEY: key });
    expect(JSON.stringify(env)).not.toContain(stage.model.endpoint(stage.apis[0]).apiKey);
    expect(stage.survivors()).toContain(pid);
    expect(JSON.stringify(conversation.drafts)).not.toContain(key);
    expect(await publicFilesWith(stage.directory, key)).toEqual([]);
    expect(await commandLines(stage)).not.toContain(key);
    await conversation[Symbol.asyncDispose]();
    await eventually(() => expect(stage.survivors()).toEqual([]));
  });

  test("does not offer another session's MCP tools to the model", async ({ shared }) => {
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
    "warns about an MCP server that cannot be started",
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

/** Tests the tools of a stdio server, and of servers over the network, with a scripted model. */
export function describeMcpTools(
  test: AdapterTest,
  { tools }: RuntimeUnderTest,
  transports: readonly ("http" | "sse")[] = ["http"],
): void {
  test.skipIf(tools.mcp === undefined)(
    "uses allowed MCP tools over every supported transport",
    async ({ stage }) => {
      const mcpServers: Record<string, McpServer> = {
        depths: programServer(join(stage.directory, "server.json")),
      };
      for (const transport of transports) {
        const started = await startNetworkServer(transport, "sk-of-the-depths");
        onTestFinished(() => started[Symbol.asyncDispose]());
        mcpServers[`depths-${transport}`] = started.server;
      }
      const calls = Object.keys(mcpServers).flatMap((name) => tools.mcp?.(name, TOOL) ?? []);
      const replies = calls.map((call) => ({ toolCalls: [call] }));
      stage.model.on("measure", ...replies, { text: "It is deep." });
      const conversation = await stage.open({
        permissions: "ask",
        answer: () => ({ decision: "allow" }),
        options: { mcpServers },
      });
      const { drafts, end } = await conversation.turn("measure the depth");
      const used = ofType(drafts, "tool_call");
      expect(used).toMatchObject(
        calls.map(() => ({ name: expect.stringContaining(TOOL), kind: "other" })),
      );
      expect(ofType(drafts, "request").map(({ tool }) => tool?.name)).toEqual(
        used.map(({ name }) => name),
      );
      expect(ofType(drafts, "tool_result")).toMatchObject(
        calls.map(() => ({ isError: false, output: expect.stringContaining(ANSWER) })),
      );
      const received = stage.model.requests.at(-1)?.messages.map(({ text }) => text) ?? [];
      expect(received.filter((text) => text.includes(ANSWER))).toHaveLength(calls.length);
      expect(assistantTexts(drafts)).toEqual(["It is deep."]);
      expect(end.status).toBe("completed");
    },
  );
}

/** The content of the file that the stdio server writes when it starts. */
const Left = z.looseObject({ pid: z.number(), env: z.record(z.string(), z.string()) });

/** Returns the command lines of the test's processes, which every user can read. */
async function commandLines(stage: Stage): Promise<string> {
  const lines = stage
    .survivors()
    .map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""));
  return (await Promise.all(lines)).join("\n");
}
