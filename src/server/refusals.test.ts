import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { serve } from "../../test/http/served.ts";
import { Problem } from "../schema/http/http.ts";

const nowhere = "ses_0000000000000000";

test.for([
  ["a body that is not JSON", "POST", "/v1/sessions", "{ not json", 400, "invalid_input"],
  ["an array as the body", "POST", "/v1/sessions", [], 400, "invalid_input"],
  ["a string as the body", "POST", "/v1/sessions", '"word"', 400, "invalid_input"],
  ["a body without cwd", "POST", "/v1/sessions", { runtime: "fake" }, 400, "invalid_input"],
  ["a field of the wrong type", "POST", "/v1/sessions", { cwd: 7 }, 400, "invalid_input"],
  ["an unknown field", "POST", "/v1/sessions", { cwd: "/", shell: "rm" }, 400, "invalid_input"],
  ["a prototype field", "POST", "/v1/sessions", '{"cwd":"/","__proto__":{}}', 400, "invalid_input"],
  [
    "a relative directory",
    "POST",
    "/v1/sessions",
    { runtime: "fake", cwd: "." },
    400,
    "invalid_input",
  ],
  [
    'a directory with ".."',
    "POST",
    "/v1/sessions",
    { runtime: "fake", cwd: "/tmp/../etc" },
    400,
    "invalid_input",
  ],
  [
    "a directory with a null byte",
    "POST",
    "/v1/sessions",
    { runtime: "fake", cwd: "/tmp\0/x" },
    400,
    "invalid_input",
  ],
  [
    "a file as the directory",
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
    "an infinite limit",
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
  ["an unknown query parameter", "GET", "/v1/sessions?colour=red", undefined, 400, "invalid_input"],
  [
    "a query parameter on a route without parameters",
    "GET",
    "/v1/health?x=1",
    undefined,
    400,
    "invalid_input",
  ],
  ["an unknown state", "GET", "/v1/sessions?states=idle,bored", undefined, 400, "invalid_input"],
  [
    "a cursor that is not a number",
    "GET",
    "/v1/events?after=x&follow=false",
    undefined,
    400,
    "invalid_input",
  ],
  ["a negative cursor", "GET", "/v1/events?after=-1&follow=false", undefined, 400, "invalid_input"],
  ["an unknown session", "GET", `/v1/sessions/${nowhere}`, undefined, 404, "session_not_found"],
  [
    "a path as the id",
    "GET",
    "/v1/sessions/..%2f..%2fetc%2fpasswd",
    undefined,
    404,
    "session_not_found",
  ],
  ["a null byte as the id", "GET", "/v1/sessions/%00", undefined, 404, "session_not_found"],
  [
    "an incomplete UTF-8 sequence as the id",
    "GET",
    "/v1/sessions/%e0%a4",
    undefined,
    404,
    "session_not_found",
  ],
  ["a missing id", "GET", "/v1/sessions/", undefined, 404, "not_found"],
  [
    "a turn of an unknown session",
    "POST",
    `/v1/sessions/${nowhere}/turns`,
    { input: "x" },
    404,
    "session_not_found",
  ],
  ["an invalid runtime name", "GET", "/v1/runtimes/No%20Such", undefined, 400, "invalid_input"],
  ["an unknown path", "GET", "/v1/nothing", undefined, 404, "not_found"],
  ["an unknown method", "PUT", "/v1/sessions", {}, 404, "not_found"],
] as const)("rejects %s without side effects", async ([, method, path, body, status, code]) => {
  await using served = await serve();
  const response = await served.call(method, path, { body });
  expect(response).toMatchObject({ status, type: "application/problem+json" });
  expect(Problem.parse(response.json)).toMatchObject({ status, code });
  expect(await served.halyard.sessions()).toEqual([]);
  expect(served.faults).toEqual([]);
});

test.for([
  ["an empty message", "turns", { input: "" }, 400, "invalid_input"],
  ["a blank message", "turns", { input: " \n" }, 400, "invalid_input"],
  ["a message that is not a string", "turns", { input: { text: "x" } }, 400, "invalid_input"],
  ["an unknown delivery", "turns", { input: "x", delivery: "shout" }, 400, "invalid_input"],
  [
    "an answer to an unknown request",
    "answers",
    { requestId: "req_0000000000000000", decision: "allow" },
    404,
    "request_not_found",
  ],
  [
    "an answer without a decision",
    "answers",
    { requestId: "req_0000000000000000" },
    400,
    "invalid_input",
  ],
  ["a turn id of the wrong kind", "interrupt", { turnId: nowhere }, 400, "invalid_input"],
  ["an unneeded body", "ping", { please: true }, 200, undefined],
] as const)("responds to %s with $3 and appends no event", async ([, verb, body, status, code]) => {
  await using served = await serve();
  const id = await served.start();
  const before = await served.halyard.find(id);
  const response = await served.call("POST", `/v1/sessions/${id}/${verb}`, { body });
  expect(response.status).toBe(status);
  expect(response.json.code).toBe(code);
  expect(await served.halyard.find(id)).toMatchObject({
    lastSeq: before?.lastSeq,
  });
});

test.for<[string, Record<string, string>]>([
  ["with a content length", {}],
  ["without a content length", { "transfer-encoding": "chunked" }],
])("rejects a body of 40 MB %s", async ([, headers]) => {
  await using served = await serve();
  const body = JSON.stringify({ cwd: "/", prompt: "x".repeat(40_000_000) });
  const response = await served.call("POST", "/v1/sessions", { body, headers });
  expect(response).toMatchObject({ status: 413, json: { code: "too_large" } });
});

test("closes the connection of a client that does not finish its headers in time", async () => {
  await using served = await serve({ headersTimeoutMs: 100 });
  const socket = connect(Number(new URL(served.url).port), "127.0.0.1");
  socket.on("error", () => {}); // a connection reset also counts as a rejection
  socket.resume();
  socket.write("GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
  await once(socket, "close");
  expect((await served.call("GET", "/v1/health")).status).toBe(200);
});

test.each(["websocket", "h2c"])(
  "responds over HTTP/1.1 to a request for an upgrade to %s if the server has no WebSocket endpoint",
  async (protocol) => {
    await using served = await serve();
    const socket = connect(Number(new URL(served.url).port), "127.0.0.1");
    socket.setEncoding("utf8");
    socket.write(
      `GET /v1/sessions HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`,
    );
    let response = "";
    for await (const text of socket) response += text;
    expect(response).toMatch(/^HTTP\/1\.1 401 /);
  },
);
