import { expect, test } from "vitest";
import { callWire, frames, type Served, serve } from "../../../test/http/served.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { routes } from "../app.ts";
import type { ServerOptions, SignedInBrowser } from "../index.ts";

/** Starts a server with a page and a clock that the test controls. */
async function serveWithPage(options: ServerOptions = {}) {
  const clock = { now: new Date("2026-01-01T00:00:00Z") };
  const web = await temporaryDirectory();
  const served = await serve({ web, now: () => clock.now, ...options });
  const pass = (ms: number) => {
    clock.now = new Date(clock.now.getTime() + ms);
  };
  return Object.assign(served, { pass });
}

async function share(served: Served, id: string, body: object = {}): Promise<string> {
  const { status, json } = await served.call("POST", `/v1/sessions/${id}/shares`, { body });
  expect(status).toBe(201);
  return json.secret;
}

function openLink(served: Served, secret: string, headers: Record<string, string> = {}) {
  const url = new URL("/v1/shares/open", served.url);
  return callWire(url, "POST", { headers: { origin: served.url, ...headers }, body: { secret } });
}

/** Opens the link and returns the header that the browser sends with later requests. */
async function cookieOf(served: Served, secret: string): Promise<{ cookie: string }> {
  const response = await openLink(served, secret);
  expect(response.status).toBe(200);
  return { cookie: String(response.headers["set-cookie"]).split(";", 1)[0] ?? "" };
}

function read({ url }: Served, path: string, headers: Record<string, string>) {
  return callWire(new URL(path, url), "GET", { headers });
}

test("lets every browser that opens a link read the session", async () => {
  await using served = await serveWithPage();
  const id = await served.start();
  const { json } = await served.call("POST", `/v1/sessions/${id}/shares`, { body: {} });
  expect(json).toEqual({
    sessionId: id,
    secret: expect.stringMatching(/^[\w-]{43}$/),
    expiresAt: "2026-01-02T00:00:00.000Z",
    exposed: false,
    url: served.url,
  });
  const response = await openLink(served, json.secret);
  expect(response.json).toEqual({
    sessionId: id,
    expiresAt: "2026-01-02T00:00:00.000Z",
    exposed: false,
  });
  const { port } = new URL(served.url);
  expect(response.headers["set-cookie"]).toEqual([
    `halyard-${port}-${id}=${json.secret}; Path=/v1; Max-Age=86400; HttpOnly; SameSite=Strict`,
  ]);
  for (const headers of [await cookieOf(served, json.secret), await cookieOf(served, json.secret)])
    for (const path of ["", "/events?follow=false", "/events?tail=5", "/export"])
      expect((await read(served, `/v1/sessions/${id}${path}`, headers)).status).toBe(200);
  const { json: list } = await served.call("GET", "/v1/shares");
  expect(list).toEqual({ shares: [expect.objectContaining({ sessionId: id })] });
  expect(JSON.stringify(list)).not.toContain(json.secret);
});

test("rejects a link's cookie on every non-public route, except for reads of the shared session", async () => {
  await using served = await serveWithPage();
  const id = await served.start();
  const other = await served.start();
  const headers = await cookieOf(served, await share(served, id));
  const { port } = new URL(served.url);
  const renamed = [
    headers.cookie.replace(id, other), // the link of one session, used for another session
    headers.cookie.replace(`-${id}`, ""), // the secret of a link, used as a sign-in cookie
  ];
  for (const cookie of renamed)
    expect((await read(served, `/v1/sessions/${other}`, { cookie })).status).toBe(401);
  const allowed = ["getSession", "followSession", "getChanges", "exportSession"];
  const open = ["getHealth", "signIn", "openShare"];
  for (const { method, path, operationId } of routes) {
    if (open.includes(operationId)) continue;
    const concrete = path.replace("{id}", id).replace("{name}", "fake");
    const url = new URL(concrete, `http://127.0.0.1:${port}`);
    const body = method === "get" || method === "delete" ? undefined : {};
    const wire = { headers: { ...headers, origin: served.url }, body };
    const query = operationId === "followSession" ? "?follow=false" : "";
    const { status } = await callWire(new URL(`${url.href}${query}`), method.toUpperCase(), wire);
    const isRead = allowed.includes(operationId);
    expect([operationId, status]).toEqual([operationId, isRead ? 200 : 401]);
  }
  expect((await served.halyard.sessions()).map(({ state }) => state)).toEqual(["idle", "idle"]);
});

test("rejects a wrong, expired or revoked link, and ends the streams of a revoked link's readers", async () => {
  await using served = await serveWithPage();
  const id = await served.start();
  expect((await openLink(served, "wrong")).status).toBe(401);
  const short = await share(served, id, { lifetimeMs: 60_000 });
  const long = await share(served, id);
  const [early, late] = [await cookieOf(served, short), await cookieOf(served, long)];
  served.pass(60_000);
  expect((await openLink(served, short)).status).toBe(401);
  expect((await read(served, `/v1/sessions/${id}`, early)).status).toBe(401);
  expect((await read(served, `/v1/sessions/${id}`, late)).status).toBe(200);
  const { hostname, port } = new URL(served.url);
  const { request } = await import("node:http");
  const stream = await new Promise<import("node:http").IncomingMessage>((resolve) => {
    const path = `/v1/sessions/${id}/events`;
    request({ hostname, port, path, headers: late }, resolve).end();
  });
  const reading = (async () => {
    for await (const _ of frames(stream));
  })().catch(() => {}); // rejects when the server closes the connection
  expect((await served.call("DELETE", `/v1/sessions/${id}/shares`)).status).toBe(204);
  await reading;
  expect((await read(served, `/v1/sessions/${id}`, late)).status).toBe(401);
  expect((await openLink(served, long)).status).toBe(401);
  expect((await served.call("GET", "/v1/shares")).json).toEqual({ shares: [] });
});

test("opens a link only from the server's own page", async () => {
  await using served = await serveWithPage();
  const secret = await share(served, await served.start());
  for (const headers of [
    { origin: "https://evil.example" },
    { origin: "http://127.0.0.1:1" },
    { "sec-fetch-site": "cross-site" },
    { host: "evil.example", origin: "http://evil.example" },
  ])
    expect((await openLink(served, secret, headers)).status).toBe(403);
});

test("keeps links after a restart, and revokes them together with all sign-ins", async () => {
  let kept: readonly SignedInBrowser[] = [];
  const browsers = {
    read: async () => kept,
    write: async (all: readonly SignedInBrowser[]) => {
      kept = all;
    },
  };
  await using served = await serveWithPage({ browsers });
  const id = await served.start();
  const secret = await share(served, id);
  expect(JSON.stringify(kept)).not.toContain(secret);
  expect(kept).toMatchObject([{ share: { sessionId: id, exposed: false } }]);
  await using again = await serveWithPage({ browsers });
  expect((await openLink(again, secret)).status).toBe(200);
  await served.call("DELETE", "/v1/sign-in?all=true");
  expect((await openLink(served, secret)).status).toBe(401);
});

test("serves only shared sessions on the port for other machines, and accepts no tokens or sign-ins there", async () => {
  const shareUrl = async () => listener.url;
  await using served = await serveWithPage({ shareUrl });
  const listener = await served.server.listen({ port: 0, isForShares: true });
  const id = await served.start();
  const { json } = await served.call("POST", `/v1/sessions/${id}/shares`, {
    body: { expose: true },
  });
  expect(json).toMatchObject({ exposed: true, url: listener.url });
  const { json: code } = await served.call("POST", "/v1/sign-in-codes", { body: {} });
  expect(code.url).toBe(served.url);
  const there = { ...served, url: listener.url };
  const signIn = await callWire(new URL("/v1/sign-in", listener.url), "POST", {
    headers: { origin: listener.url },
    body: { code: code.code },
  });
  expect(signIn.status).toBe(401);
  const token = { authorization: "Bearer a-token-nobody-guesses" };
  expect((await read(there, "/v1/sessions", token)).status).toBe(401);
  expect((await read(there, "/v1/health", {})).status).toBe(401);
  for (const path of ["/docs", "/openapi.json"]) {
    expect((await read(served, path, {})).status).toBe(200);
    expect((await read(there, path, token)).json).toEqual({
      type: "/docs#error-not_found",
      title: expect.any(String),
      status: 404,
      detail: `Route GET ${path} not found. This port serves only shared sessions. Open the link that you received.`,
      code: "not_found",
      retryable: false,
    });
  }
  const headers = await cookieOf(there, json.secret);
  expect((await read(there, `/v1/sessions/${id}`, headers)).status).toBe(200);
  expect((await read(there, "/v1/sessions", headers)).status).toBe(401);
  await listener.close();
});

test("rejects a link for more than 30 days, for a port that the server cannot open, or to an unknown session", async () => {
  await using served = await serveWithPage();
  const id = await served.start();
  const create = (body: object) => served.call("POST", `/v1/sessions/${id}/shares`, { body });
  expect((await create({ lifetimeMs: 31 * 86_400_000 })).status).toBe(400);
  expect(await create({ expose: true })).toMatchObject({ json: { code: "unsupported" } });
  expect((await served.call("POST", "/v1/sessions/nobody/shares", { body: {} })).status).toBe(404);
});
