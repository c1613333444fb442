import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callWire, serve, TOKEN } from "../../test/http/served.ts";
import { newRepository } from "../../test/workspace/repository.ts";
import { connectHalyard } from "../client/index.ts";
import { createServer } from "./index.ts";

type Headers = Record<string, string>;

test.for<[string, Headers]>([
  ["no token", {}],
  ["an empty token", { authorization: "Bearer " }],
  ["a wrong token", { authorization: `Bearer ${TOKEN}x` }],
  ["a prefix of the token", { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
  ["the token in another scheme", { authorization: `Basic ${TOKEN}` }],
])("rejects a request with %s", async ([, headers]) => {
  await using served = await serve();
  const isWrong = "authorization" in headers;
  const paths = ["/v1/sessions", "/v1/events", "/v1/nothing", ...(isWrong ? ["/v1/health"] : [])];
  for (const path of paths) {
    const response = await callWire(new URL(path, served.url), "GET", { headers });
    expect(response).toMatchObject({ status: 401, json: { code: "unauthorized" } });
    expect(response.headers["www-authenticate"]).toBe("Bearer");
    expect(response.text).not.toContain(TOKEN);
  }
});

test("rejects a Host header that is not allowed", async () => {
  await using served = await serve();
  const { port } = new URL(served.url);
  for (const host of [
    "evil.example",
    `evil.example:${port}`,
    "127.0.0.1.evil.example",
    "10.0.0.1",
  ]) {
    const response = await served.call("GET", "/v1/health", { headers: { host } });
    expect(response).toMatchObject({ status: 403, json: { code: "forbidden" } });
  }
  for (const host of [`localhost:${port}`, "127.0.0.1", `[::1]:${port}`, "LOCALHOST"]) {
    expect((await served.call("GET", "/v1/health", { headers: { host } })).status).toBe(200);
  }
});

test("rejects a web page's request unless its origin is allowed", async () => {
  await using served = await serve({ origins: ["https://good.example"] });
  for (const origin of ["https://evil.example", "null", "http://127.0.0.1:1", "garbage"]) {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const response = await served.call(method, "/v1/sessions", { headers: { origin } });
      expect(response).toMatchObject({ status: 403, json: { code: "forbidden" } });
      expect(response.headers["access-control-allow-origin"]).toBeUndefined();
    }
  }
  const origin = "https://good.example";
  const good = await served.call("GET", "/v1/sessions", { headers: { origin } });
  expect(good.headers["access-control-allow-origin"]).toBe(origin);
  const own = await served.call("GET", "/v1/sessions", { headers: { origin: served.url } });
  expect(own.status).toBe(200);
});

test("rejects requests from other origins by default", async () => {
  await using served = await serve();
  const headers = { origin: "https://good.example", "access-control-request-method": "POST" };
  const response = await served.call("OPTIONS", "/v1/sessions", { headers });
  expect(response.status).toBe(403);
  expect(response.headers["access-control-allow-origin"]).toBeUndefined();
});

test("rejects a port if there is neither a token nor the page, and a non-loopback address without `expose`", async () => {
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

test("requires the token if another server mounts the app", async () => {
  await using served = await serve();
  const { app } = served.server;
  expect((await app.request("/v1/sessions")).status).toBe(401);
  const headers = { authorization: `Bearer ${TOKEN}` };
  expect((await app.request("/v1/sessions", { headers })).status).toBe(200);
});

test("reveals neither pid nor version to a health request without a token", async () => {
  await using served = await serve({ version: "1.2.3" });
  const response = await callWire(new URL("/v1/health", served.url), "GET", {});
  expect(response).toMatchObject({ status: 200, json: { status: "ok" } });
  expect(response.json).toEqual({ status: "ok" });
});

test("checks the host in the URL of a Request that has no Host header", async () => {
  await using served = await serve();
  const { app } = served.server;
  const headers = { authorization: `Bearer ${TOKEN}` };
  const own = await app.fetch(new Request("http://localhost/v1/sessions", { headers }));
  expect(own.status).toBe(200);
  const foreign = await app.fetch(new Request("http://evil.example/v1/sessions", { headers }));
  expect(foreign.status).toBe(403);
});

test.each(["/api/halyard", "api/halyard/"])(
  "mounts the routes below the base path %s",
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

test("returns URLs below the base path for new sessions, forks, races and error types", async () => {
  await using served = await serve();
  const { app } = createServer(served.halyard, { token: TOKEN, basePath: "/halyard" });
  const post = (path: string, body: object) =>
    app.request(`/halyard${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify(body),
    });
  const locationOf = async (response: Response) => {
    expect(response.status).toBe(201);
    const { id } = (await response.json()) as { id: string };
    return response.headers.get("location")?.replace(id, "ID");
  };
  const original = await served.start();
  await (await served.halyard.session(original)).send("say hi").outcome;
  const { root: cwd } = await newRepository();
  const racer = { runtime: "fake", cwd, permissions: "allow-all" };
  expect(await locationOf(await post("/v1/sessions", racer))).toBe("/halyard/v1/sessions/ID");
  const fork = await post(`/v1/sessions/${original}/fork`, {});
  expect(await locationOf(fork)).toBe("/halyard/v1/sessions/ID");
  const race = await post("/v1/races", { prompt: "say hi", racers: [racer] });
  expect(await locationOf(race)).toBe("/halyard/v1/races/ID");
  const missing = await post("/v1/sessions/nobody/fork", {});
  expect(await missing.json()).toMatchObject({ type: "/halyard/docs#error-session_not_found" });
  const unknown = await app.request("/halyard/nowhere");
  expect(await unknown.json()).toMatchObject({ type: "/halyard/docs#error-not_found" });
});

test("writes no key or token to a response or to the store", async () => {
  await using served = await serve();
  const key = "sk-not-to-be-seen-anywhere";
  const id = await served.start({ env: { SOME_API_KEY: key } });
  const sent = await served.call("POST", `/v1/sessions/${id}/turns`, {
    body: { input: "echo-env SOME_API_KEY" },
  });
  const texts = [sent.text];
  for (const path of [`/v1/sessions/${id}/export`, "/v1/sessions", "/v1/events?follow=false"]) {
    texts.push((await served.call("GET", path)).text);
  }
  const wrong = { cwd: "/", runtime: "fake", model: { apiKey: key, colour: "red" } };
  texts.push((await served.call("POST", "/v1/sessions", { body: wrong })).text);
  for (const entry of await readdir(served.home, { recursive: true, withFileTypes: true })) {
    // Check only the database, because the other files belong to the runtime.
    if (!entry.name.startsWith("halyard.db")) continue;
    texts.push(await readFile(join(entry.parentPath, entry.name), "latin1"));
  }
  for (const text of texts) {
    expect(text).not.toContain(key);
    expect(text).not.toContain(TOKEN);
  }
});
