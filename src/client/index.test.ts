import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, test } from "vitest";
import { gather, serve, serveImpatiently, TOKEN } from "../../test/http/served.ts";
import { createDeferred } from "../async/deferred.ts";
import { startFake } from "../testing/halyard/fixture.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { connectHalyard } from "./index.ts";

test("rejects a missing or wrong token when connecting", async () => {
  await using served = await serve();
  for (const options of [{}, { token: "wrong" }]) {
    const connecting = connectHalyard(served.url, options);
    await expect(connecting).rejects.toMatchObject({ code: "unauthorized" });
  }
});

test("names the address in the error if no server responds", async () => {
  const socketPath = `${await temporaryDirectory()}/none.sock`;
  for (const target of [socketPath, { socketPath }, `unix:${socketPath}`]) {
    await expect(connectHalyard(target)).rejects.toMatchObject({
      code: "unreachable",
      message: expect.stringContaining(socketPath),
    });
  }
  const closed = connectHalyard("http://127.0.0.1:1");
  await expect(closed).rejects.toMatchObject({ code: "unreachable" });
});

test.each(["nonsense", "", "ftp://127.0.0.1"])("rejects %j as an address", async (target) => {
  await expect(connectHalyard(target)).rejects.toMatchObject({ code: "invalid_input" });
});

test("rejects a server that is not Halyard", async () => {
  const teapot = async () => new Response("I am a teapot", { status: 418 });
  const connecting = connectHalyard("http://127.0.0.1", { fetch: teapot });
  await expect(connecting).rejects.toMatchObject({ code: "unreachable" });
});

test("connects with a given fetch and without sockets", async () => {
  await using served = await serve();
  const { app } = served.server;
  const fetchApp: typeof fetch = async (input, init) => app.fetch(new Request(input, init));
  await using halyard = await connectHalyard("http://localhost", { token: TOKEN, fetch: fetchApp });
  const again = async () => halyard;
  const room = { halyard, cwd: served.cwd, again, [Symbol.asyncDispose]: async () => {} };
  const session = await startFake(room);
  expect(await session.send("say hello").outcome).toMatchObject({ text: "hello" });
});

/** Returns a fetch that changes the text of the server's responses, except of event streams. */
function fetchWith(change: (text: string) => string): typeof fetch {
  return async (input, init) => {
    const answer = await fetch(input, init);
    if (answer.headers.get("content-type") === "text/event-stream") return answer;
    const { status, headers } = answer;
    return new Response(change(await answer.text()), { status, headers });
  };
}

test("names the record and the field if a response is invalid", async () => {
  await using served = await serve();
  const id = await served.start();
  const session = await served.halyard.session(id);
  const turn = session.send("wait");
  await turn.accepted;
  const fetch = fetchWith((text) => text.replaceAll(turn.id, "foo"));
  await using halyard = await connectHalyard(served.url, { token: TOKEN, fetch });
  const unreadable = (path: string) => ({
    name: "HalyardError",
    code: "internal",
    message: expect.stringContaining(`${id}: ${path}: `),
  });
  await expect(halyard.sessions()).rejects.toMatchObject(unreadable("sessions.0.turn.id"));
  await expect(halyard.find(id)).rejects.toMatchObject(unreadable("turn.id"));
  await expect(halyard.session(id)).rejects.toMatchObject(unreadable("turn.id"));
});

test("opens one event stream per session, even if the session is requested repeatedly", async () => {
  await using served = await serve();
  const { server, url } = served;
  await using halyard = await connectHalyard(url, { token: TOKEN });
  const session = await halyard.start({ runtime: "fake", cwd: served.cwd });
  await session.ready();
  for (let count = 0; count < 20; count++) {
    const found = await (count % 2 ? halyard.resume(session.id) : halyard.session(session.id));
    expect(await found.send("say hello").outcome).toMatchObject({ text: "hello" });
    expect(found).toMatchObject({ opened: "started", openedAfter: 0, info: session.info });
  }
  expect(server.readers).toBe(1);
  await session.stop();
  while (server.readers > 0) await sleep(5);
  const resumed = await halyard.resume(session.id);
  expect(resumed).toMatchObject({ opened: "resumed", openedAfter: session.info.lastSeq });
  expect(await halyard.session(session.id)).toBe(resumed);
  expect(await resumed.send("say again").outcome).toMatchObject({ text: "again" });
  expect(server.readers).toBe(1);
  await halyard[Symbol.asyncDispose]();
  while (server.readers > 0) await sleep(5);
});

test("ends a turn and its event stream if the store rejects the message", async () => {
  await using served = await serveImpatiently();
  await using halyard = await connectHalyard(served.url, { token: TOKEN });
  const session = await halyard.session(await served.start());
  const other = new DatabaseSync(`${served.home}/halyard.db`);
  other.exec("BEGIN IMMEDIATE");
  const turn = session.send("say hello");
  expect(await gather(turn)).toEqual([]);
  other.exec("ROLLBACK");
  other.close();
  const error = { code: "store_locked" };
  expect(await turn.accepted).toMatchObject({ status: "failed", error });
  expect(await turn.outcome).toMatchObject({ status: "failed", error });
});

test("reads the receipt of a turn that fails immediately from the response, not from the turn's end", async () => {
  await using served = await serve();
  const id = await served.start();
  const ended = createDeferred<void>();
  const late: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    if (`${input}`.endsWith("/turns")) await ended.promise;
    return answer;
  };
  await using halyard = await connectHalyard(served.url, { token: TOKEN, fetch: late });
  const turn = (await halyard.session(id)).send("fail on purpose");
  expect(await turn.outcome).toMatchObject({ status: "failed" });
  ended.resolve();
  expect(await turn.accepted).toEqual({ status: "confirmed" });
});

test("ends a turn without events if the response already reports its failure", async () => {
  await using served = await serve();
  const id = await served.start();
  const { info } = await served.halyard.session(id);
  const error = { code: "delivery_failed", message: "nobody took it", retryable: true };
  const usage = { inputTokens: 0, outputTokens: 0 };
  const outcome = { status: "failed", stopReason: "error", text: "", usage, durationMs: 0, error };
  const receipt = { status: "failed", error };
  const answer = (init: RequestInit | undefined) =>
    Response.json({ id: JSON.parse(`${init?.body}`).id, sessionId: id, receipt, outcome });
  const refuse: typeof fetch = async (input, init) =>
    `${input}`.endsWith("/turns") ? answer(init) : fetch(input, init);
  await using halyard = await connectHalyard(served.url, { token: TOKEN, fetch: refuse });
  const session = await halyard.session(id);
  const turn = session.send("say hello");
  expect(await gather(turn)).toEqual([]);
  expect(await turn.outcome).toEqual(outcome);
  expect(session.info).toEqual(info);
});
