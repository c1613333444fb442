import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openScene } from "../../test/mcp/scene.ts";
import { writeJsonFile } from "../config/json/write-json.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { PermissionPolicy } from "../schema/permission.ts";

test("rejects a project with limits above the defaults if the client's policy is stricter than allow-all", async () => {
  const { root, call } = await openScene("allow-edits");
  const create = (limits: object) => call("project_create", { name: "site", ...limits });
  const defaults = { max_recursion_depth: 3, max_agents_per_session: 50, max_cost_usd: 10 };
  for (const [key, most] of Object.entries(defaults)) {
    const message = expect.stringMatching(`${key}: ${most + 1} exceeds ${most}.*--permissions`);
    const error = { code: "forbidden", message, retryable: false };
    expect(await create({ ...defaults, [key]: most + 1 })).toEqual({ error });
  }
  expect(await call("project_list")).toEqual({ projects: [], problems: [] });
  await writeJsonFile(join(root, "config", "project-defaults.json"), { max_cost_usd: 0.5 });
  const message = expect.stringContaining("max_cost_usd: 1 exceeds 0.5");
  expect(await create({ max_cost_usd: 1 })).toMatchObject({
    error: { code: "forbidden", message },
  });
  const stricter = { max_recursion_depth: 0, max_agents_per_session: 50, max_cost_usd: 0.5 };
  expect(await create(stricter)).toMatchObject({ limits: stricter });
  const free = await openScene();
  const raised = await free.call("project_create", { name: "site", max_cost_usd: 1e6 });
  expect(raised).toMatchObject({ limits: { max_cost_usd: 1e6 } });
});

test("does not let a limited client list, read, message, resume or end a session with a looser policy, or start its child", async () => {
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

test.each(["deny", "ask", "allow-edits"] as const)(
  "does not let a client limited to %s delete a project",
  async (permissions) => {
    const { call } = await openScene(permissions);
    const { id } = await call("project_create", { name: "site", agent_runtime: "fake" });
    expect(await call("project_delete", { project_id: id })).toMatchObject({
      error: { code: "forbidden", message: expect.stringContaining("--permissions allow-all") },
    });
    expect(await call("project_get", { project_id: id })).toMatchObject({ id });
  },
);

test("omits the events of child sessions whose policy is looser than the client's", async () => {
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
