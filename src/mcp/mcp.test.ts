import { join } from "node:path";
import { expect, test } from "vitest";
import { openScene } from "../../test/mcp/scene.ts";
import { writeJsonFile } from "../config/json/write-json.ts";
import { ProjectOptions } from "../schema/project/project-options.ts";
import { fakeAdapter } from "../testing/fake/index.ts";

test("lists all tools with their schemas", async () => {
  const { request } = await openScene();
  const { result } = (await request("tools/list")) as { result: { tools: ListedTool[] } };
  expect(result.tools.map(({ name }) => name).sort()).toEqual([
    ...[
      "config_limits",
      "model_list",
      "project_create",
      "project_delete",
      "project_get",
      "project_list",
    ],
    ...[
      "project_options",
      "race_cancel",
      "race_start",
      "race_wait",
      "request_answer",
      "session_adopt",
      "session_cancel",
      "session_changes",
      "session_compact",
      "session_end",
      "session_events",
      "session_fork",
      "session_get",
      "session_handoff",
      "session_list",
    ],
    ...["session_message", "session_rewind", "session_search", "session_spawn", "session_start"],
    ...["session_wait", "worktree_list", "worktree_prune"],
  ]);
  const create = result.tools.find(({ name }) => name === "project_create");
  expect(create?.inputSchema).toMatchObject({
    type: "object",
    required: ["name"],
    additionalProperties: false,
    properties: { agent_runtime: { type: "string" }, max_cost_usd: { type: "number" } },
  });
  const destroying = result.tools.filter(({ annotations }) => annotations.destructiveHint);
  expect(destroying.map(({ name }) => name)).toEqual(["project_delete", "worktree_prune"]);
});

interface ListedTool {
  readonly name: string;
  readonly inputSchema: object;
  readonly annotations: { readonly destructiveHint: boolean };
}

test("project_options returns runtimes, limits and models without keys", async () => {
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

test("project_options lists droid and opencode if both are available, and the server's default [s0.options.agent-runtimes]", async () => {
  const adapters = ["droid", "opencode"].map((name) => ({ ...fakeAdapter(), name }));
  const { root, call } = await openScene("allow-all", { adapters });
  await writeJsonFile(join(root, "config", "server.json"), { agent_runtime: "droid" });
  const { agent_runtimes } = ProjectOptions.parse(await call("project_options"));
  expect(agent_runtimes).toMatchObject({ available: ["droid", "opencode"], default: "droid" });
});

test("creates, reads and deletes a project", async () => {
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

test.each([
  ["session_get", { session_id: "ses_0000000000000000" }, "session_not_found"],
  ["session_events", { session_id: "ses_0000000000000000" }, "session_not_found"],
  ["session_spawn", { project_id: crypto.randomUUID(), message: "hi" }, "project_not_found"],
  ["project_create", { name: "x", agent_runtime: "nosuch" }, "unknown_runtime"],
])("%s responds to %j with the error %s", async (name, input, code) => {
  const { call } = await openScene();
  expect(await call(name, input)).toMatchObject({ error: { code } });
});

test("reports invalid input as a tool error that names the field", async () => {
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

test("responds with an error to a line that exceeds the size limit, and continues", async () => {
  const { request, call } = await openScene();
  const text = "x".repeat(33 * 1024 * 1024);
  const refused = await request("tools/call", { name: "session_list", arguments: { text } });
  expect(refused).toMatchObject({ error: { code: -32600, data: { code: "invalid_input" } } });
  expect(await call("session_list")).toEqual({ sessions: [] });
});
