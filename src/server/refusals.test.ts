import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callWire, serve, TOKEN } from "../../test/http/served.ts";
import { connectHalyard } from "../client/index.ts";
import { Problem } from "../schema/http.ts";
import { createServer } from "./index.ts";

const nowhere = "ses_0000000000000000";

test.for([
  ["no JSON", "POST", "/v1/sessions", "{ not json", 400, "invalid_input"],
  ["an array for a body", "POST", "/v1/sessions", [], 400, "invalid_input"],
  ["a word for a body", "POST", "/v1/sessions", '"word"', 400, "invalid_input"],
  ["no directory", "POST", "/v1/sessions", { runtime: "fake" }, 400, "invalid_input"],
  ["a wrong type", "POST", "/v1/sessions", { cwd: 7 }, 400, "invalid_input"],
  ["an unknown field", "POST", "/v1/sessions", { cwd: "/", shell: "rm" }, 400, "invalid_input"],
  [
    "a field of the prototype",
    "POST",
    "/v1/sessions",
    '{"cwd":"/","__proto__":{}}',
    400,
    "invalid_input",
  ],
  [
    "a relative directory",
    "POST",
    "/v1/sessions",
    { runtime: "fake", cwd: "." },
    400,
    "invalid_input",
  ],
  [
    "a way out of it",
    "POST",
    "/v1/sessions",
    { runtime: "fake", cwd: "/tmp/../etc" },
    400,
    "invalid_input",
  ],
  [
    "a null byte in it",
    "POST",
    "/v1/sessions",
    { runtime: "fake", cwd: "/tmp\0/x" },
    400,
    "invalid_input",
  ],
  [
    "a directory that is none",
    "POST",
    "/v1/sessions",
    { runtime: "fake", cwd: "/dev/null" },
    400,
    "invalid_input",
  ],
  [
    "an unknown runtime",
    "POST",
    "/v1/sessions",
    { runtime: "nosuch", cwd: "/" },
    400,
    "unknown_runtime",
  ],
  [
    "an endless limit",
    "POST",
    "/v1/sessions",
    '{"cwd":"/","limits":{"turnMs":1e999}}',
    400,
    "invalid_input",
  ],
  [
    "a blank prompt",
    "POST",
    "/v1/sessions",
    { runtime: "fake", cwd: "/", prompt: " \n" },
    400,
    "invalid_input",
  ],
  ["an unknown parameter", "GET", "/v1/sessions?colour=red", undefined, 400, "invalid_input"],
  ["a parameter where none is", "GET", "/v1/health?x=1", undefined, 400, "invalid_input"],
  ["an unknown state", "GET", "/v1/sessions?states=idle,bored", undefined, 400, "invalid_input"],
  [
    "a place that is no number",
    "GET",
    "/v1/events?after=x&follow=false",
    undefined,
    400,
    "invalid_input",
  ],
  [
    "a place before the beginning",
    "GET",
    "/v1/events?after=-1&follow=false",
    undefined,
    400,
    "invalid_input",
  ],
  ["no such session", "GET", `/v1/sessions/${nowhere}`, undefined, 404, "session_not_found"],
  [
    "a path for an id",
    "GET",
    "/v1/sessions/..%2f..%2fetc%2fpasswd",
    undefined,
    404,
    "session_not_found",
  ],
  ["a null byte for an id", "GET", "/v1/sessions/%00", undefined, 404, "session_not_found"],
  ["half a character for an id", "GET", "/v1/sessions/%e0%a4", undefined, 404, "session_not_found"],
  ["no id at all", "GET", "/v1/sessions/", undefined, 404, "not_found"],
  [
    "a turn of nobody's",
    "POST",
    `/v1/sessions/${nowhere}/turns`,
    { input: "x" },
    404,
    "session_not_found",
  ],
  ["a stranger's runtime", "GET", "/v1/runtimes/No%20Such", undefined, 400, "invalid_input"],
  ["an address that is none", "GET", "/v1/nothing", undefined, 404, "not_found"],
  ["a method that is none", "PUT", "/v1/sessions", {}, 404, "not_found"],
] as const)("%s is refused, and nothing is done", async ([, method, path, body, status, code]) => {
  await using served = await serve();
  const answer = await served.call(method, path, { body });
  expect(answer).toMatchObject({ status, type: "application/problem+json" });
  expect(Problem.parse(answer.json)).toMatchObject({ status, code });
  expect(await served.halyard.sessions()).toEqual([]);
  expect(served.faults).toEqual([]);
});

test.for([
  ["an empty message", "turns", { input: "" }, 400, "invalid_input"],
  ["a blank message", "turns", { input: " \n" }, 400, "invalid_input"],
  ["a message that is none", "turns", { input: { text: "x" } }, 400, "invalid_input"],
  ["an unknown delivery", "turns", { input: "x", delivery: "shout" }, 400, "invalid_input"],
  [
    "an answer to nothing",
    "answers",
    { requestId: "req_0000000000000000", decision: "allow" },
    404,
    "request_not_found",
  ],
  [
    "an answer that decides nothing",
    "answers",
    { requestId: "req_0000000000000000" },
    400,
    "invalid_input",
  ],
  ["a turn's id of another kind", "interrupt", { turnId: nowhere }, 400, "invalid_input"],
  ["a body where none is", "ping", { please: true }, 200, undefined],
] as const)("%s to a session is answered with $3", async ([, verb, body, status, code]) => {
  await using served = await serve();
  const id = await served.start();
  const before = await served.halyard.find(id);
  const answer = await served.call("POST", `/v1/sessions/${id}/${verb}`, { body });
  expect(answer.status).toBe(status);
  expect(answer.json.code).toBe(code);
  expect(await served.halyard.find(id)).toMatchObject({
    lastSeq: before?.lastSeq,
  });
});

type Headers = Record<string, string>;

test.for<[string, Headers]>([
  ["no token", {}],
  ["an empty one", { authorization: "Bearer " }],
  ["a wrong one", { authorization: `Bearer ${TOKEN}x` }],
  ["the beginning of it", { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
  ["it in another way", { authorization: `Basic ${TOKEN}` }],
])("whoever has %s is not let in", async ([, headers]) => {
  await using served = await serve();
  const isWrong = "authorization" in headers;
  const paths = ["/v1/sessions", "/v1/events", "/v1/nothing", ...(isWrong ? ["/v1/health"] : [])];
  for (const path of paths) {
    const answer = await callWire(new URL(path, served.url), "GET", { headers });
    expect(answer).toMatchObject({ status: 401, json: { code: "unauthorized" } });
    expect(answer.headers["www-authenticate"]).toBe("Bearer");
    expect(answer.text).not.toContain(TOKEN);
  }
});

test("a name that is not ours is refused, whatever it resolves to", async () => {
  await using served = await serve();
  const { port } = new URL(served.url);
  for (const host of [
    "evil.example",
    `evil.example:${port}`,
    "127.0.0.1.evil.example",
    "10.0.0.1",
  ]) {
    const answer = await served.call("GET", "/v1/health", { headers: { host } });
    expect(answer).toMatchObject({ status: 403, json: { code: "forbidden" } });
  }
  for (const host of [`localhost:${port}`, "127.0.0.1", `[::1]:${port}`, "LOCALHOST"]) {
    expect((await served.call("GET", "/v1/health", { headers: { host } })).status).toBe(200);
  }
});

test("a web page is refused unless it is one of those allowed", async () => {
  await using served = await serve({ origins: ["https://good.example"] });
  for (const origin of ["https://evil.example", "null", "http://127.0.0.1:1", "garbage"]) {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const answer = await served.call(method, "/v1/sessions", { headers: { origin } });
      expect(answer).toMatchObject({ status: 403, json: { code: "forbidden" } });
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    }
  }
  const origin = "https://good.example";
  const good = await served.call("GET", "/v1/sessions", { headers: { origin } });
  expect(good.headers["access-control-allow-origin"]).toBe(origin);
  const own = await served.call("GET", "/v1/sessions", { headers: { origin: served.url } });
  expect(own.status).toBe(200);
});

test("no page is allowed by default", async () => {
  await using served = await serve();
  const headers = { origin: "https://good.example", "access-control-request-method": "POST" };
  const answer = await served.call("OPTIONS", "/v1/sessions", { headers });
  expect(answer.status).toBe(403);
  expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
});

test.for<[string, Headers]>([
  ["says how large it is", {}],
  ["does not", { "transfer-encoding": "chunked" }],
])("a body of ten megabytes is too large, whether it %s", async ([, headers]) => {
  await using served = await serve();
  const body = JSON.stringify({ cwd: "/", prompt: "x".repeat(10_000_000) });
  const answer = await served.call("POST", "/v1/sessions", { body, headers });
  expect(answer).toMatchObject({ status: 413, json: { code: "too_large" } });
});

test("a client that never finishes its request is cut off", async () => {
  await using served = await serve({ headersTimeoutMs: 100 });
  const socket = connect(Number(new URL(served.url).port), "127.0.0.1");
  socket.on("error", () => {}); // being cut off may look like this
  socket.resume();
  socket.write("GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
  await once(socket, "close");
  expect((await served.call("GET", "/v1/health")).status).toBe(200);
});

test("a port is opened with a token only, and to other machines only where that is said", async () => {
  await using served = await serve();
  const open = createServer(served.halyard);
  await expect(open.listen({ port: 0 })).rejects.toMatchObject({ code: "invalid_input" });
  for (const host of ["0.0.0.0", "::", "192.168.0.1"]) {
    await expect(served.server.listen({ host, port: 0 })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("expose"),
    });
  }
});

test("whoever has the server's own door wants the token too", async () => {
  await using served = await serve();
  const { app } = served.server;
  expect((await app.request("/v1/sessions")).status).toBe(401);
  const headers = { authorization: `Bearer ${TOKEN}` };
  expect((await app.request("/v1/sessions", { headers })).status).toBe(200);
});

test("health needs no token and tells callers without one nothing more", async () => {
  await using served = await serve({ version: "1.2.3" });
  const answer = await callWire(new URL("/v1/health", served.url), "GET", {});
  expect(answer).toMatchObject({ status: 200, json: { status: "ok" } });
  expect(answer.json).toEqual({ status: "ok" });
});

test("a Request without a Host header is judged by its URL", async () => {
  await using served = await serve();
  const { app } = served.server;
  const headers = { authorization: `Bearer ${TOKEN}` };
  const own = await app.fetch(new Request("http://localhost/v1/sessions", { headers }));
  expect(own.status).toBe(200);
  const foreign = await app.fetch(new Request("http://evil.example/v1/sessions", { headers }));
  expect(foreign.status).toBe(403);
});

test.each(["/api/halyard", "api/halyard/"])(
  "is mounted below the base path %s",
  async (basePath) => {
    await using served = await serve();
    const { app } = createServer(served.halyard, { token: TOKEN, basePath });
    const headers = { authorization: `Bearer ${TOKEN}` };
    const at = (path: string) => app.fetch(new Request(`http://localhost${path}`, { headers }));
    expect((await at("/api/halyard/v1/sessions")).status).toBe(200);
    expect((await at("/v1/sessions")).status).toBe(404);
    expect((await app.request("/api/halyard/v1/sessions")).status).toBe(401);
    expect((await app.request("/api/halyard/v1/health")).status).toBe(200);
    const call: typeof fetch = async (input, init) => app.fetch(new Request(input, init));
    const target = "http://localhost/api/halyard";
    await using halyard = await connectHalyard(target, { token: TOKEN, fetch: call });
    expect(await halyard.sessions()).toEqual([]);
  },
);

test("neither a key nor a token is in any answer or in the store", async () => {
  await using served = await serve();
  const key = "sk-not-to-be-seen-anywhere";
  const id = await served.start({ env: { SOME_API_KEY: key } });
  const said = await served.call("POST", `/v1/sessions/${id}/turns`, {
    body: { input: "echo-env SOME_API_KEY" },
  });
  const answers = [said.text];
  for (const path of [`/v1/sessions/${id}/export`, "/v1/sessions", "/v1/events?follow=false"]) {
    answers.push((await served.call("GET", path)).text);
  }
  const wrong = { cwd: "/", runtime: "fake", model: { apiKey: key, colour: "red" } };
  answers.push((await served.call("POST", "/v1/sessions", { body: wrong })).text);
  for (const entry of await readdir(served.home, { recursive: true, withFileTypes: true })) {
    if (!entry.name.startsWith("halyard.db")) continue; // the rest is the runtime's own
    answers.push(await readFile(join(entry.parentPath, entry.name), "latin1"));
  }
  for (const text of answers) {
    expect(text).not.toContain(key);
    expect(text).not.toContain(TOKEN);
  }
});
