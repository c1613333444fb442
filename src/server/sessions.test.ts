import { DatabaseSync } from "@photostructure/sqlite";
import { expect, expectTypeOf, test } from "vitest";
import { serve, serveImpatiently } from "../../test/http/served.ts";
import type { Session } from "../contracts/halyard.ts";
import type { ResumeOptions } from "../contracts/resume-options.ts";
import type { SessionFilter } from "../contracts/store.ts";
import { OpenedSession, type ResumeBody, SentTurn } from "../schema/http/http.ts";
import { SessionInfo } from "../schema/session.ts";
import type { toFilter } from "./routes/sessions.ts";

test("starts a session with a first message and the requested options", async () => {
  await using served = await serve();
  const { cwd } = served;
  const labels = { team: "a" };
  const body = { runtime: "fake", cwd, permissions: "deny", name: "api", labels, prompt: "say hi" };
  const answer = await served.call("POST", "/v1/sessions", { body });
  expect(answer.status).toBe(201);
  const { id, queue } = OpenedSession.parse(answer.json);
  expect(answer.json).toMatchObject({
    runtime: "fake",
    cwd,
    name: "api",
    labels,
    opened: "started",
  });
  expect(answer.headers.location).toBe(`/v1/sessions/${id}`);
  const session = await served.halyard.session(id);
  const outcome = await session.send("", { ...(queue[0] && { id: queue[0].id }) }).outcome;
  expect(outcome).toMatchObject({ status: "completed", text: "hi" });
});

test("finds a session by its id, an id prefix, its name and the runtime's session id", async () => {
  await using served = await serve();
  const id = await served.start({ name: "api" });
  await served.start({ name: "other" });
  const session = await served.halyard.session(id);
  await session.ready();
  const { runtimeSessionId = "" } = session.info;
  const meant = [id, id.slice(0, -1), id.slice("ses_".length), "api", runtimeSessionId];
  for (const text of meant) {
    const answer = await served.call("GET", `/v1/sessions/${text}`);
    expect(SessionInfo.parse(answer.json)).toMatchObject({ id, name: "api" });
  }
  const many = await served.call("GET", "/v1/sessions/ses_");
  expect(many).toMatchObject({ status: 400, json: { code: "invalid_input" } });
});

test("rejects an ambiguous name and lists the candidates, unless only one of them is running", async () => {
  await using served = await serve();
  const [first, second] = [
    await served.start({ name: "api" }),
    await served.start({ name: "api" }),
  ];
  const both = await served.call("GET", "/v1/sessions/api");
  expect(both).toMatchObject({ status: 400, json: { code: "invalid_input" } });
  expect(both.json.detail).toContain(first);
  expect(both.json.detail).toContain(second);
  await served.call("POST", `/v1/sessions/${first}/stop`);
  expect((await served.call("GET", "/v1/sessions/api")).json.id).toBe(second);
});

test("lists sessions by state, runtime and directory", async () => {
  await using served = await serve();
  const [older, newer] = [await served.start(), await served.start()];
  await served.call("POST", `/v1/sessions/${older}/stop`, { body: { reason: "done" } });
  const list = async (query: string) => {
    const { json } = await served.call("GET", `/v1/sessions${query}`);
    return json.sessions.map(({ id }: SessionInfo) => id);
  };
  expect(await list("")).toEqual([newer, older]);
  expect(await list("?states=stopped,failed")).toEqual([older]);
  expect(await list("?runtime=fake&limit=1")).toEqual([newer]);
  expect(await list(`?cwd=${encodeURIComponent(served.cwd)}`)).toEqual([newer, older]);
  expect(await list("?runtime=pi")).toEqual([]);
});

test("lists sessions by labels and by the runtime's session id", async () => {
  await using served = await serve();
  const both = await served.start({ labels: { team: "docs", note: "a=b, c" } });
  const one = await served.start({ labels: { team: "docs" } });
  const list = async (...parameters: [name: string, value: string][]) => {
    const query = new URLSearchParams(parameters);
    const { json } = await served.call("GET", `/v1/sessions?${query}`);
    return json.sessions.map(({ id }: SessionInfo) => id);
  };
  expect(await list(["label", "team=docs"])).toEqual([one, both]);
  expect(await list(["label", "team=docs"], ["label", "note=a=b, c"])).toEqual([both]);
  expect(await list(["states", "idle"], ["states", "running,starting"])).toEqual([one, both]);
  const session = await served.halyard.session(both);
  await session.ready();
  expect(await list(["runtimeSessionId", session.info.runtimeSessionId ?? ""])).toEqual([both]);
  for (const query of ["label=team", "label==docs", "runtime=a&runtime=b"]) {
    const refused = await served.call("GET", `/v1/sessions?${query}`);
    expect(refused).toMatchObject({ status: 400, json: { code: "invalid_input" } });
  }
  const body = { runtime: "fake", cwd: served.cwd, labels: { "a=b": "c" } };
  expect(await served.call("POST", "/v1/sessions", { body })).toMatchObject({ status: 400 });
});

test("changes, stops, resumes and removes a session", async () => {
  await using served = await serve();
  const id = await served.start();
  const changed = await served.call("PATCH", `/v1/sessions/${id}`, { body: { name: "new" } });
  expect(changed).toMatchObject({ status: 200, json: { name: "new" } });
  const sent = await served.call("POST", "/v1/sessions/new/turns", { body: { input: "say hi" } });
  expect(sent.status).toBe(202);
  await (await served.halyard.session(id)).send("say done").outcome;
  const stop = { body: { reason: "enough" } };
  const stopped = await served.call("POST", `/v1/sessions/${id}/stop`, stop);
  expect(stopped.json).toMatchObject({ state: "stopped", reason: "enough" });
  expect((await served.call("POST", `/v1/sessions/${id}/stop`)).json.reason).toBe("enough");
  const late = await served.call("POST", `/v1/sessions/${id}/turns`, { body: { input: "x" } });
  expect(late).toMatchObject({ status: 409, json: { code: "session_stopped" } });
  const resumed = await served.call("POST", `/v1/sessions/${id}/resume`);
  expect(resumed.json).toMatchObject({ id, opened: "resumed", state: "idle" });
  expect((await served.call("DELETE", `/v1/sessions/${id}`)).status).toBe(204);
  expect((await served.call("GET", `/v1/sessions/${id}`)).status).toBe(404);
});

test("returns the same turn for a repeated idempotency key", async () => {
  await using served = await serve();
  const id = await served.start();
  const send = (key: string) =>
    served.call("POST", `/v1/sessions/${id}/turns`, {
      headers: { "idempotency-key": key },
      body: { input: "say once" },
    });
  const answers = await Promise.all([send("a"), send("a"), send("a")]);
  const turns = answers.map(({ json }) => SentTurn.parse(json).id);
  expect(new Set(turns).size).toBe(1);
  expect(SentTurn.parse((await send("b")).json).id).not.toBe(turns[0]);
  const session = await served.halyard.session(id);
  await session.interrupt();
  await session.stop();
  const { json } = await served.call("GET", `/v1/sessions/${id}/export?format=json`);
  const begun = json.events.filter(
    (event: { subtype?: string }) => event.subtype === "turn_started",
  );
  expect(begun).toHaveLength(2);
});

test("returns the same turn for a repeated idempotency key after the server restarts", async () => {
  await using first = await serve();
  const id = await first.start();
  const headers = { "idempotency-key": "deploy-42" };
  const body = { input: "say once" };
  const path = `/v1/sessions/${id}/turns`;
  const sent = SentTurn.parse((await first.call("POST", path, { headers, body })).json);
  const held = await first.halyard.session(id);
  await held.send("say twice").outcome;
  await held.detach();
  await using second = await serve({}, { home: first.home });
  await second.halyard.resume(id);
  const again = await second.call("POST", path, { headers, body });
  expect(again).toMatchObject({ status: 202, json: { id: sent.id, outcome: { text: "once" } } });
  await second.settle(id);
  const { lastSeq } = (await second.halyard.find(id)) ?? {};
  await second.call("POST", path, { headers, body });
  expect(await second.halyard.find(id)).toMatchObject({ lastSeq });
});

/** Sends more messages than a session keeps in memory. */
async function sendMany(session: Session): Promise<void> {
  for (const _ of ["ends all earlier turns", "removes them from the memory of the session"]) {
    const turns = [...Array(260)].map(() => session.send("say more"));
    expect(await turns.at(-1)?.outcome).toMatchObject({ status: "completed" });
  }
}

test("returns the same turn for a repeated idempotency key after hundreds of other turns", async () => {
  await using served = await serve();
  const id = await served.start();
  const session = await served.halyard.session(id);
  const send = (key: string, body: object) =>
    served.call("POST", `/v1/sessions/${id}/turns`, { headers: { "idempotency-key": key }, body });
  const message = { input: "wait" };
  const steer = { input: "say steered", delivery: "steer" };
  const sent = [await send("deploy-42", message), await send("and-so", steer)];
  await sendMany(session);
  await served.settle(id);
  const { lastSeq } = session.info;
  const again = [await send("deploy-42", message), await send("and-so", steer)];
  const outcome = expect.objectContaining({ status: "completed", text: "steered" });
  expect(again.map(({ status }) => status)).toEqual([202, 202]);
  expect(again.map(({ json }) => json)).toEqual(sent.map(({ json }) => ({ ...json, outcome })));
  expect(session.info.lastSeq).toBe(lastSeq);
});

test("returns the same turn for a repeated message if the turn was running when the server restarted", async () => {
  await using first = await serve();
  const id = await first.start();
  const wire = { headers: { "idempotency-key": "deploy-42" }, body: { input: "wait" } };
  const path = `/v1/sessions/${id}/turns`;
  const sent = SentTurn.parse((await first.call("POST", path, wire)).json);
  await (await first.halyard.session(id)).detach();
  await using second = await serve({}, { home: first.home });
  const session = await second.halyard.resume(id);
  const open = await second.call("POST", path, wire);
  expect(open).toMatchObject({ status: 202, json: { id: sent.id, sessionId: id } });
  expect(open.json.outcome).toBeUndefined();
  await session.send("say steered", { delivery: "steer" }).accepted;
  await sendMany(session);
  await second.settle(id);
  const { lastSeq } = session.info;
  const again = await second.call("POST", path, wire);
  expect(again).toMatchObject({ status: 202, json: { id: sent.id, outcome: { text: "steered" } } });
  expect(session.info.lastSeq).toBe(lastSeq);
});

test("rejects a message while the store is locked, and accepts it later with the same idempotency key", async () => {
  await using served = await serveImpatiently();
  const [idle, busy] = [await served.start(), await served.start()];
  const send = (id: string, body: object) =>
    served.call("POST", `/v1/sessions/${id}/turns`, {
      headers: { "idempotency-key": "deploy-42" },
      body,
    });
  await (await served.halyard.session(busy)).send("wait").accepted;
  const other = new DatabaseSync(`${served.home}/halyard.db`);
  other.exec("BEGIN IMMEDIATE");
  const answers = await Promise.all([
    send(idle, { input: "say once" }),
    send(busy, { input: "say once", delivery: "steer" }),
  ]);
  other.exec("ROLLBACK");
  other.close();
  const refused = { status: 503, json: { code: "store_locked", retryable: true } };
  expect(answers).toMatchObject([refused, refused]);
  const accepted = await send(idle, { input: "say once" });
  expect(accepted.status).toBe(202);
  const session = await served.halyard.session(idle);
  expect(await session.send("", { id: accepted.json.id }).outcome).toMatchObject({ text: "once" });
  expect(session.info.turns).toBe(1);
});

test("names the session in the error if its first message cannot be stored", async () => {
  await using served = await serveImpatiently();
  const { halyard, cwd } = served;
  const other = new DatabaseSync(`${served.home}/halyard.db`);
  const start = halyard.start.bind(halyard);
  halyard.start = async (request) => {
    const session = await start(request);
    await session.ready();
    await served.settle(session.id);
    other.exec("BEGIN IMMEDIATE"); // locks the database just before the message is sent
    return session;
  };
  const body = { runtime: "fake", cwd, prompt: "say hi" };
  const refused = await served.call("POST", "/v1/sessions", { body });
  expect(refused).toMatchObject({ status: 503, json: { code: "store_locked" } });
  other.exec("ROLLBACK");
  other.close();
  const [session] = await halyard.sessions();
  expect(session).toMatchObject({ state: "idle", turns: 0 });
  expect(refused.json.detail).toContain(session?.id);
});

test("answers a request and interrupts a turn", async () => {
  await using served = await serve();
  const id = await served.start({ permissions: "ask" });
  const turn = await served.call("POST", `/v1/sessions/${id}/turns`, { body: { input: "ask" } });
  const session = await served.halyard.session(id);
  for await (const { type } of session.events()) if (type === "request") break;
  const { json } = await served.call("GET", `/v1/sessions/${id}`);
  const [{ requestId }] = json.openRequests;
  const answer = { requestId, decision: "allow" };
  const answered = await served.call("POST", `/v1/sessions/${id}/answers`, { body: answer });
  expect(answered).toMatchObject({ status: 200, json: { openRequests: [] } });
  const outcome = await session.send("", { id: turn.json.id }).outcome;
  expect(outcome).toMatchObject({ text: "allowed" });
  await served.call("POST", `/v1/sessions/${id}/turns`, { body: { input: "wait" } });
  const interrupted = await served.call("POST", `/v1/sessions/${id}/interrupt`, {
    body: { reason: "enough" },
  });
  expect(interrupted.json).toMatchObject({ state: "idle", turns: 2 });
});

test("returns the server's health, the runtimes and the processes of sessions", async () => {
  await using served = await serve({ version: "1.2.3" });
  const id = await served.start();
  const { json: health, headers } = await served.call("GET", "/v1/health");
  expect(headers).toMatchObject({ "cache-control": "no-store" });
  expect(health).toEqual({ status: "ok", version: "1.2.3", pid: process.pid });
  const { json: list } = await served.call("GET", "/v1/runtimes");
  expect(list.runtimes).toContainEqual(expect.objectContaining({ name: "fake" }));
  const { json: report } = await served.call("GET", "/v1/runtimes/fake");
  expect(report).toMatchObject({ name: "fake", usable: true });
  const { json: processes } = await served.call("GET", "/v1/processes");
  expect(processes.processes).toContainEqual(expect.objectContaining({ sessionId: id }));
  expect((await served.call("POST", "/v1/reap")).json).toEqual({ processes: [] });
});

test("the HTTP API accepts every resume option and every session filter", () => {
  expectTypeOf<keyof ResumeBody>().toEqualTypeOf<keyof ResumeOptions>();
  expectTypeOf<keyof ReturnType<typeof toFilter>>().toEqualTypeOf<keyof SessionFilter>();
});
