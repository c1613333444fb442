import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openScene, type Scene } from "../../test/mcp/scene.ts";
import { writeJsonFile } from "../config/json/write-json.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

test("starts a session in a project, sends messages, reads events and ends the session [s0.override.per-project] [s2.config.project-overrides]", async () => {
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

test("returns a child's events with its parent's, and rejects a child that is nested too deeply, with advice", async () => {
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
  const replies = events.filter(({ role }) => role === "assistant").map(({ text }) => text);
  expect(replies.sort()).toEqual(["child", "parent"]);
  expect(await spawn("say grandchild", child)).toMatchObject({
    error: {
      code: "limit_exceeded",
      message: expect.stringContaining("Do the work in the parent session"),
    },
  });
});

test("returns no events if the wait limit expires before a new event", async () => {
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

function isLast({ subtype, data }: Record<string, unknown>): boolean {
  return subtype === "checkpoint" && Object(data).when === "after_turn";
}

/** Reads the events of a session up to the checkpoint after the turn, which is the last event. */
async function followed(call: Scene["call"], session_id: unknown, since: unknown) {
  const events: Record<string, unknown>[] = [];
  for (let since_index = since; ; ) {
    const answer = await call("session_events", { session_id, since_index, wait_ms: 5000 });
    const batch = answer.events as Record<string, unknown>[];
    events.push(...batch);
    since_index = answer.last_index;
    if (batch.some(isLast)) return { last_index: since_index, events };
    if (batch.length === 0) throw new Error(`no more events: ${JSON.stringify(answer)}`);
  }
}

test("starts a session without a project only in the server's directory or below it, unless the policy is allow-all", async () => {
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
      error: { code: "forbidden", message: expect.stringContaining("is outside") },
    });
  for (const wrong of [{ directory: "nowhere" }, { create_workspace: true }])
    expect(await call("session_spawn", { ...spawn, ...wrong })).toMatchObject({
      error: { code: "invalid_input" },
    });
  const loose = await openScene("allow-all");
  const directory = await temporaryDirectory(); // a large directory, such as /usr, takes seconds to record
  expect(await loose.call("session_spawn", { ...spawn, directory })).toMatchObject({
    session_id: expect.any(String),
  });
});

test("lets a client answer requests only with --answers and only in its own sessions", async () => {
  const { call, halyard, root } = await openScene("ask", { answers: true });
  const message = "tool write a.txt A";
  const { session_id } = await call("session_spawn", { message, agent_runtime: "fake" });
  const opened = async (id: string): Promise<string> => {
    for await (const event of halyard.events(id))
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

  await other.answer(foreign.request_id, { decision: "deny" });
  await followed(call, other.id, 0);
  const { session_id: copy } = await call("session_fork", { session_id: other.id });
  const copied = await halyard.session(String(copy));
  copied.send(message);
  const forked = { ...allow, session_id: copy, request_id: await opened(String(copy)) };
  expect(await call("request_answer", forked)).toMatchObject({ error: { code: "forbidden" } });

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

test("records the trace context from _meta with the turn, and ignores a malformed trace context", async () => {
  const { halyard, request } = await openScene();
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const call = async (name: string, input: object, meta: object) => {
    const answer = await request("tools/call", { name, arguments: input, _meta: meta });
    return Object(answer.result).structuredContent;
  };
  const spawned = { agent_runtime: "fake", message: "say one" };
  const { session_id } = await call("session_spawn", spawned, { traceparent });
  await call("session_message", { session_id, message: "say two" }, { traceparent: "00-1" });
  const session = await halyard.session(session_id);
  await session.send("say three").outcome;
  const started = [];
  for await (const event of session.events({ follow: false }))
    if (event.type === "system" && event.subtype === "turn_started") started.push(event.data);
  expect(started).toEqual([{ traceparent }, undefined, undefined]);
});
