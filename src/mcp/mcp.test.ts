import { mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { expect, onTestFinished, test } from "vitest";
import { createConfigReader } from "../config/reader.ts";
import { writeJsonFile } from "../config/write-json.ts";
import type { Halyard } from "../core/halyard.ts";
import { createHalyard } from "../create-halyard.ts";
import { Projects } from "../projects/projects.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import { ProjectOptions } from "../schema/project-options.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { serveMcp } from "./serve.ts";

/** A client that speaks MCP by hand, and the Halyard behind the server. */
interface Scene {
  readonly root: string;
  readonly halyard: Halyard;
  request(method: string, params?: object): Promise<Record<string, unknown>>;
  /** What a tool answered; its errors too. */
  call(name: string, input?: object): Promise<Record<string, unknown>>;
}

async function openScene(
  permissions: PermissionPolicy = "allow-all",
  { answers = false } = {},
): Promise<Scene> {
  const root = await temporaryDirectory();
  const home = join(root, "home");
  const config = createConfigReader({ env: {}, home });
  const halyard = await createHalyard({ home, env: {}, adapters: [fakeAdapter()], config });
  const projects = new Projects({ env: {}, home, root, now: () => new Date() });
  const directory = root;
  const context = { halyard: async () => halyard, projects, permissions, answers, directory };
  const input = new PassThrough();
  const output = new PassThrough();
  const sdk = { McpServer, serveStdio, StdioServerTransport };
  const serving = serveMcp(sdk, context, { input, output, version: "1.2.3" });
  onTestFinished(async () => {
    input.end();
    await serving;
    await halyard[Symbol.asyncDispose]();
  });

  const waiting = new Map<number, (answer: Record<string, unknown>) => void>();
  createInterface({ input: output }).on("line", (line) => {
    const answer = JSON.parse(line);
    waiting.get(answer.id)?.(answer);
  });
  let last = 0;
  const request = async (method: string, params: object = {}) => {
    const id = ++last;
    const answered = new Promise<Record<string, unknown>>((resolve) => waiting.set(id, resolve));
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return answered;
  };
  await request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "0" },
  });
  input.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  const call = async (name: string, args: object = {}) => {
    const answer = await request("tools/call", { name, arguments: args });
    const { result, error } = answer as { result?: ToolResult; error?: object };
    if (!result) return { error };
    return result.structuredContent ?? JSON.parse(result.content[0]?.text ?? "");
  };
  return { root, halyard, request, call };
}

interface ToolResult {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
}

test("offers its tools with schemas of ours", async () => {
  const { request } = await openScene();
  const { result } = (await request("tools/list")) as { result: { tools: ListedTool[] } };
  expect(result.tools.map(({ name }) => name).sort()).toEqual([
    ...["config_limits", "project_create", "project_delete", "project_get", "project_list"],
    ...[
      "project_options",
      "request_answer",
      "session_end",
      "session_events",
      "session_get",
      "session_list",
    ],
    ...["session_message", "session_spawn"],
  ]);
  const create = result.tools.find(({ name }) => name === "project_create");
  expect(create?.inputSchema).toMatchObject({
    type: "object",
    required: ["name"],
    additionalProperties: false,
    properties: { agent_runtime: { type: "string" }, max_cost_usd: { type: "number" } },
  });
  const destroying = result.tools.filter(({ annotations }) => annotations.destructiveHint);
  expect(destroying.map(({ name }) => name)).toEqual(["project_delete"]);
});

interface ListedTool {
  readonly name: string;
  readonly inputSchema: object;
  readonly annotations: { readonly destructiveHint: boolean };
}

test("project_options tells the runtimes, the limits and the models, and no key", async () => {
  const { root, call } = await openScene();
  const key = "planted-secret-4711";
  await writeJsonFile(join(root, "config", "server.json"), { agent_runtime: "auto" });
  await writeJsonFile(join(root, "config", "factory.json"), { api_key: key });
  const fast = { model: "m-1", displayName: "Fast", baseUrl: "http://u:p@localhost", apiKey: key };
  await writeJsonFile(join(root, "config", "models.json"), {
    models: { fast },
    defaults: { session_model: "fast" },
  });
  await writeJsonFile(join(root, "config", "project-defaults.json"), { max_cost_usd: 3 });
  const options = await call("project_options");
  expect(options).toMatchObject({
    agent_runtimes: {
      available: expect.arrayContaining(["fake"]),
      default: "auto",
      resolved: "droid",
      details: expect.arrayContaining([
        expect.objectContaining({ name: "fake", available: true }),
        expect.objectContaining({ name: "droid", description: "Factory Droid" }),
      ]),
    },
    limits: { max_recursion_depth: 3, max_agents_per_session: 50, max_cost_usd: 3 },
    models: {
      available: [{ name: "fast", model: "m-1", display_name: "Fast" }],
      default: "fast",
    },
  });
  const { available } = ProjectOptions.parse(options).agent_runtimes;
  expect(available.filter((name) => ["pi", "claude", "codex", "ccsdk"].includes(name))).toEqual([]);
  expect(JSON.stringify(options)).not.toMatch(/planted-secret|u:p@/);
});

test("a project is created, looked at and deleted", async () => {
  const { call } = await openScene();
  const project = await call("project_create", { name: "site", agent_runtime: "fake" });
  expect(project).toMatchObject({ name: "site", agent_runtime: "fake" });
  const { id } = project;
  expect(await call("project_list")).toMatchObject({ projects: [{ id }], problems: [] });
  expect(await call("project_get", { project_id: id })).toEqual(project);
  expect(await call("config_limits", { project_id: id })).toMatchObject({
    limits: { max_recursion_depth: 3 },
  });
  expect(await call("project_delete", { project_id: id })).toEqual({ deleted: id });
  expect(await call("project_get", { project_id: id })).toMatchObject({
    error: { code: "project_not_found" },
  });
});

test("a session is spawned in its project, spoken to, followed and ended [s0.override.per-project] [s2.config.project-overrides]", async () => {
  const { call, halyard, root } = await openScene();
  await writeJsonFile(join(root, "config", "server.json"), { agent_runtime: "droid" });
  const { id } = await call("project_create", { name: "site", agent_runtime: "fake" });
  const spawned = await call("session_spawn", { project_id: id, message: "tool write a.txt hi" });
  expect(spawned).toMatchObject({ project_id: id, agent_runtime: "fake", depth: 0 });
  const { session_id } = spawned;
  const { last_index } = await followed(call, session_id, 0);

  const sent = await call("session_message", { session_id, message: "say again" });
  expect(sent).toMatchObject({ session_id, last_index });
  const { events } = await followed(call, session_id, last_index);
  expect(events).toContainEqual(
    expect.objectContaining({ type: "message", text: "again", index: expect.any(Number) }),
  );
  expect(events.some(({ type }) => type === "delta")).toBe(false);
  expect(await call("session_list", { project_id: id })).toMatchObject({
    sessions: [{ id: session_id, project: id }],
  });

  expect(await call("project_delete", { project_id: id })).toMatchObject({
    error: { code: "invalid_input", message: expect.stringContaining(String(session_id)) },
  });
  const ended = await call("session_end", { session_id, reason: "enough" });
  expect(ended).toMatchObject({ session: { state: "stopped", reason: "enough" } });
  expect(await halyard.processes()).toEqual([]);
  const resumed = await call("session_message", { session_id, message: "recall" });
  const more = await followed(call, session_id, resumed.last_index);
  expect(more.events).toContainEqual(expect.objectContaining({ text: "tool write a.txt hi" }));
});

test("a child's events are shown with its parent's, and a child too deep is refused with advice", async () => {
  const { call } = await openScene();
  const { id } = await call("project_create", {
    name: "site",
    agent_runtime: "fake",
    max_recursion_depth: 1,
  });
  const spawn = (message: string, parent?: unknown) =>
    call("session_spawn", {
      project_id: id,
      message,
      ...(parent === undefined ? { create_workspace: true } : { parent_session_id: parent }),
    });
  const { session_id: parent } = await spawn("say parent");
  const { session_id: child } = await spawn("say child", parent);
  await spawn("say stranger");
  await followed(call, child, 0);
  await followed(call, parent, 0);
  const { events } = (await call("session_events", {
    session_id: parent,
    include_children: true,
  })) as { events: { role?: string; text?: string }[] };
  const said = events.filter(({ role }) => role === "assistant").map(({ text }) => text);
  expect(said.sort()).toEqual(["child", "parent"]);
  expect(await spawn("say grandchild", child)).toMatchObject({
    error: {
      code: "limit_exceeded",
      message: expect.stringContaining("do the work in the session"),
    },
  });
});

test("waits for what is to come, and not for ever", async () => {
  const { call } = await openScene();
  const { id } = await call("project_create", { name: "site", agent_runtime: "fake" });
  const { session_id } = await call("session_spawn", { project_id: id, message: "say hi" });
  const { last_index } = await followed(call, session_id, 0);
  const nothing = { session_id, since_index: last_index, wait_ms: 50 };
  expect(await call("session_events", nothing)).toMatchObject({
    events: [],
    last_index,
    status: "idle",
    completed: true,
    failed: false,
  });
});

test.each([
  ["session_get", { session_id: "ses_0000000000000000" }, "session_not_found"],
  ["session_events", { session_id: "ses_0000000000000000" }, "session_not_found"],
  ["session_spawn", { project_id: crypto.randomUUID(), message: "hi" }, "project_not_found"],
  ["project_create", { name: "x", agent_runtime: "nosuch" }, "unknown_runtime"],
])("%s says what is wrong with %j", async (name, input, code) => {
  const { call } = await openScene();
  expect(await call(name, input)).toMatchObject({ error: { code } });
});

test("input that fits no schema is refused as any other failure is told", async () => {
  const { call } = await openScene();
  expect(await call("project_create", { name: "x", permissions: "allow-all" })).toEqual({
    error: {
      code: "invalid_input",
      message: expect.stringMatching(/permissions/),
      retryable: false,
    },
  });
  expect(await call("session_get", { session_id: 7 })).toMatchObject({
    error: { code: "invalid_input", message: expect.stringMatching(/^session_id: /) },
  });
});

/** Reads a session's events until its turn has ended. */
async function followed(call: Scene["call"], session_id: unknown, since: unknown) {
  const events: Record<string, unknown>[] = [];
  for (let since_index = since; ; ) {
    const answer = await call("session_events", { session_id, since_index, wait_ms: 5000 });
    const batch = answer.events as Record<string, unknown>[];
    events.push(...batch);
    since_index = answer.last_index;
    if (batch.some(({ type }) => type === "completion")) return { last_index: since_index, events };
    if (batch.length === 0) throw new Error(`nothing more came: ${JSON.stringify(answer)}`);
  }
}

test("a client limited to a policy cannot list, read, message, resume, spawn below or end a looser session", async () => {
  const { root, halyard, call } = await openScene("ask");
  const start = (permissions: PermissionPolicy) =>
    halyard.start({ runtime: "fake", cwd: root, permissions });
  const loose = await start("allow-all");
  const edits = await start("allow-edits");
  const strict = await start("deny");
  const { outcome } = loose.send("tool write mine.txt x");
  await outcome;
  await edits.stop();
  const project = await call("project_create", { name: "site", agent_runtime: "fake" });
  const spawn = { project_id: project.id, message: "say hello" };
  for (const { id: session_id } of [loose, edits]) {
    for (const [tool, input] of [
      ["session_message", { message: "tool write theirs.txt x" }],
      ["session_get", {}],
      ["session_events", {}],
      ["session_events", { include_children: true }],
      ["session_end", {}],
    ] as const)
      expect(await call(tool, { session_id, ...input })).toMatchObject({
        error: { code: "forbidden", message: expect.stringContaining("--permissions") },
      });
    const below = await call("session_spawn", { ...spawn, parent_session_id: session_id });
    expect(below).toMatchObject({ error: { code: "forbidden" } });
  }
  expect(await readdir(root)).not.toContain("theirs.txt");
  expect(loose.info.state).toBe("idle");
  expect(await call("session_list")).toMatchObject({ sessions: [{ id: strict.id }] });
  const session_id = strict.id;
  expect(await call("session_message", { session_id, message: "say hello" })).toMatchObject({
    session_id,
  });
  expect(await call("session_end", { session_id })).toMatchObject({
    session: { state: "stopped" },
  });
});

test("a session is spawned without a project, in the server's directory or below it", async () => {
  const { call, halyard, root } = await openScene("ask");
  const spawn = { message: "say hi", agent_runtime: "fake" };
  const { session_id } = await call("session_spawn", spawn);
  expect(await halyard.find(String(session_id))).toMatchObject({ cwd: root, permissions: "ask" });
  await mkdir(join(root, "below"));
  const below = await call("session_spawn", { ...spawn, directory: "below" });
  expect(await halyard.find(String(below.session_id))).toMatchObject({ cwd: join(root, "below") });
  await symlink("/usr", join(root, "link"));
  for (const directory of ["/usr", "..", "link"])
    expect(await call("session_spawn", { ...spawn, directory })).toMatchObject({
      error: { code: "forbidden", message: expect.stringContaining("outside of") },
    });
  for (const wrong of [{ directory: "nowhere" }, { create_workspace: true }])
    expect(await call("session_spawn", { ...spawn, ...wrong })).toMatchObject({
      error: { code: "invalid_input" },
    });
  const loose = await openScene("allow-all");
  expect(await loose.call("session_spawn", { ...spawn, directory: "/usr" })).toMatchObject({
    session_id: expect.any(String),
  });
});

test("a client answers requests only with --answers, and only of sessions that it started", async () => {
  const { call, halyard, root } = await openScene("ask", { answers: true });
  const message = "tool write a.txt A";
  const { session_id } = await call("session_spawn", { message, agent_runtime: "fake" });
  const opened = async (id: string): Promise<string> => {
    for await (const event of halyard.events({ sessionId: id }))
      if (event.type === "request") return event.requestId;
    throw new Error("no request");
  };
  const request_id = await opened(String(session_id));
  const allow = { session_id, request_id, decision: "allow" };
  expect(await call("request_answer", allow)).toEqual(allow);
  const { events } = await followed(call, session_id, 0);
  expect(events).toContainEqual(expect.objectContaining({ type: "response", decision: "allow" }));
  expect(await call("request_answer", allow)).toMatchObject({
    error: { code: "request_not_found" },
  });

  const other = await halyard.start({ runtime: "fake", cwd: root, permissions: "ask" });
  other.send(message);
  const foreign = { ...allow, session_id: other.id, request_id: await opened(other.id) };
  expect(await call("request_answer", foreign)).toMatchObject({ error: { code: "forbidden" } });

  const strict = await openScene("ask");
  const denied = await strict.call("session_spawn", { message, agent_runtime: "fake" });
  const log = await followed(strict.call, denied.session_id, 0);
  expect(log.events).toContainEqual(
    expect.objectContaining({ type: "response", decision: "deny" }),
  );
  expect(
    await strict.call("request_answer", { ...allow, session_id: denied.session_id }),
  ).toMatchObject({ error: { code: "forbidden", message: expect.stringContaining("--answers") } });
});

test.each(["deny", "ask", "allow-edits"] as const)(
  "a client limited to %s deletes no project",
  async (permissions) => {
    const { call } = await openScene(permissions);
    const { id } = await call("project_create", { name: "site", agent_runtime: "fake" });
    expect(await call("project_delete", { project_id: id })).toMatchObject({
      error: { code: "forbidden", message: expect.stringContaining("--permissions allow-all") },
    });
    expect(await call("project_get", { project_id: id })).toMatchObject({ id });
  },
);

test("the events of a child with a looser policy are left out", async () => {
  const { root, halyard, call } = await openScene("ask");
  const parent = await halyard.start({ runtime: "fake", cwd: root, permissions: "ask" });
  const below = { runtime: "fake", cwd: root, parent: parent.id } as const;
  const strict = await halyard.start({ ...below, permissions: "deny" });
  const loose = await halyard.start({ ...below, permissions: "allow-all" });
  for (const session of [parent, strict, loose]) await session.send("say hello").outcome;
  const input = { session_id: parent.id, include_children: true };
  const { events } = (await call("session_events", input)) as { events: StreamEvent[] };
  expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(
    new Set([parent.id, strict.id]),
  );
});

test("answers a request on a line over the limit with an error, and goes on", async () => {
  const { request, call } = await openScene();
  const text = "x".repeat(33 * 1024 * 1024);
  const refused = await request("tools/call", { name: "session_list", arguments: { text } });
  expect(refused).toMatchObject({ error: { code: -32600, data: { code: "invalid_input" } } });
  expect(await call("session_list")).toEqual({ sessions: [] });
});
