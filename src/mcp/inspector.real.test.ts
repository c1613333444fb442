import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { halyard, newUser, program, type User } from "../../test/cli/start-cli.ts";
import { mcpInspectorCommand } from "../../test/real/mcp-inspector.ts";
import { writeJsonFile } from "../config/json/write-json.ts";
import { startScriptedModel } from "../testing/scripted-model.ts";

/** Runs the inspector as a client, with a new `halyard mcp` for every call. */
async function inspect({ cwd, env }: User, args: readonly string[]): Promise<unknown> {
  const [node, ...inspector] = mcpInspectorCommand();
  const home = ["-e", `HALYARD_HOME=${env.HALYARD_HOME}`];
  const server = [process.execPath, program, "mcp", "--permissions", "allow-all"];
  const command = [...inspector, ...server, ...home, ...args];
  const { stdout } = await promisify(execFile)(node, command, { cwd, env });
  return JSON.parse(stdout);
}

async function call(user: User, tool: string, input: Readonly<Record<string, string>>) {
  const pairs = Object.entries(input).map(([key, value]) => `${key}=${value}`);
  const args = ["--method", "tools/call", "--tool-name", tool];
  if (pairs.length > 0) args.push("--tool-arg", ...pairs);
  const { structuredContent } = (await inspect(user, args)) as {
    structuredContent: Record<string, unknown>;
  };
  return structuredContent;
}

test("the MCP inspector accepts all tools", async () => {
  const user = await newUser();
  const { tools } = (await inspect(user, ["--method", "tools/list", "--strict"])) as {
    tools: { name: string }[];
  };
  expect(tools.map(({ name }) => name)).toContain("session_spawn");
});

test("the MCP inspector creates a project, runs Pi in it and reads its events", async () => {
  const user = await newUser();
  const model = await startScriptedModel([
    {
      replies: [
        { toolCalls: [{ name: "write", input: { path: "hello.txt", content: "Hello!" } }] },
        { text: "Done." },
      ],
    },
  ]);
  onTestFinished(async () => {
    await halyard(user, ["stop", "--all"]);
    await halyard(user, ["daemon", "stop"]);
    await model.close();
  });
  const { id: served, ...endpoint } = model.endpoint("anthropic");
  await writeJsonFile(join(user.cwd, "config", "models.json"), {
    models: { scripted: { model: served, ...endpoint } },
    defaults: { session_model: "scripted" },
  });
  await halyard(user, ["trust", user.cwd]); // without trust, the endpoint in the directory's models.json is rejected
  const options = await call(user, "project_options", {});
  expect(options).toMatchObject({
    agent_runtimes: { details: expect.arrayContaining([expect.objectContaining({ name: "pi" })]) },
  });
  expect(JSON.stringify(options)).not.toContain(endpoint.apiKey);

  const { id } = await call(user, "project_create", { name: "site", agent_runtime: "pi" });
  const project_id = String(id);
  const spawned = await call(user, "session_spawn", { project_id, message: "Write hello.txt" });
  const session_id = String(spawned.session_id);
  const events: Record<string, unknown>[] = [];
  for (let since = 0; !events.some(({ type }) => type === "completion"); ) {
    const more = await call(user, "session_events", {
      session_id,
      since_index: String(since),
      wait_ms: "20000",
    });
    const batch = more.events as Record<string, unknown>[];
    expect(batch, "receives events").not.toEqual([]);
    events.push(...batch);
    since = Number(more.last_index);
  }
  expect(events).toContainEqual(expect.objectContaining({ type: "tool_call", name: "write" }));
  const completion = events.find(({ type }) => type === "completion");
  expect(completion).toMatchObject({ outcome: { status: "completed", text: "Done." } });
  const ended = await call(user, "session_end", { session_id });
  expect(ended).toMatchObject({ session: { state: "stopped" } });
  expect(await call(user, "project_delete", { project_id })).toEqual({ deleted: project_id });
});
