import { access } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { openSessions } from "../../../../test/real/describe-sessions.ts";
import { runtimesDir } from "../../../../test/real/runtimes-dir.ts";
import type { McpServers } from "../../../schema/mcp-server.ts";
import { collect } from "../../../testing/halyard/fixture.ts";
import { ANSWER, TOOL } from "../../../testing/mcp-server/answer.mjs";
import { programServer } from "../../../testing/mcp-server/index.ts";
import { claudeToolCalls as tools } from "../events/tool-calls.ts";
import { ccsdkAdapter } from "./sdk.ts";

async function open() {
  const scene = await openSessions({ createAdapter: ccsdkAdapter, api: "anthropic" });
  const start = (ccsdkOptions: Record<string, unknown>, mcpServers: McpServers = {}) =>
    scene.start({ options: { ccsdkOptions, mcpServers } });
  return { ...scene, start };
}

test("calls hook functions from the session's options in this process", async () => {
  const { model, start } = await open();
  model.on("work", { toolCalls: [tools.shell("true")] }, { text: "Done." });
  const called: unknown[] = [];
  const hook = async (input: unknown) => {
    called.push(input);
    return {};
  };
  const session = await start({ hooks: { PreToolUse: [{ hooks: [hook] }] } });
  expect((await session.send("work").outcome).status).toBe("completed");
  expect(called).toMatchObject([{ hook_event_name: "PreToolUse", tool_name: "Bash" }]);
});

test("disables hooks if hooksEnabled is false [s4.options.ccsdk]", async () => {
  const { model, cwd, start } = await open();
  model.on("greet", { text: "Hello." });
  const command = `touch ${cwd}/stopped`;
  const settings = { hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } };
  for (const hooksEnabled of [false, true]) {
    const session = await start({ settings, hooksEnabled });
    await session.send("greet me").outcome;
    await session.stop();
    const exists = access(join(cwd, "stopped")).then(
      () => true,
      () => false,
    );
    expect(await exists).toBe(hooksEnabled);
  }
});

test("runs tool functions in this process, in addition to the tools of other servers", async () => {
  const entry = join(runtimesDir, "ccsdk/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs");
  const { createSdkMcpServer, tool } = await import(pathToFileURL(entry).href);
  const answer = tool("answer", "the answer", {}, async () => ({
    content: [{ type: "text", text: "the answer is yes" }],
  }));
  const { model, home, start } = await open();
  const asked = [tools.mcp("deep", "answer"), tools.mcp("given", TOOL), tools.mcp("own", TOOL)];
  model.on("ask", { toolCalls: asked }, { text: "I see." });
  const deep = createSdkMcpServer({ name: "deep", version: "1.0.0", tools: [answer] });
  const given = programServer(join(home, "given.json"));
  const own = programServer(join(home, "own.json"));
  const session = await start({ mcpServers: { deep, given } }, { own });
  const turn = session.send("ask it");
  const results = (await collect(turn)).flatMap((event) =>
    event.type === "tool_result" ? [event.output] : [],
  );
  expect(results.sort()).toEqual([ANSWER, ANSWER, "the answer is yes"]);
  expect((await turn.outcome).text).toBe("I see.");
});
