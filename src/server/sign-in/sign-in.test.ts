import { expect, test } from "vitest";
import { callWire, frames, type Served, serve, TOKEN } from "../../../test/http/served.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { createServer, type ServerOptions, type SignedInBrowser } from "../index.ts";

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

async function createCode(served: Served, body: object = {}): Promise<string> {
  const { status, json } = await served.call("POST", "/v1/sign-in-codes", { body });
  expect(status).toBe(201);
  return json.code;
}

/** Sends a request without a token, as the page in a browser does. */
function fromPage(
  { url }: Served,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
) {
  return callWire(new URL(path, url), method, { headers: { origin: url, ...headers }, body });
}

function exchange(served: Served, code: string, headers: Record<string, string> = {}) {
  return fromPage(served, "POST", "/v1/sign-in", { headers, body: { code } });
}

/** Signs in and returns the header that the browser sends with later requests. */
async function signIn(served: Served): Promise<{ cookie: string }> {
  const response = await exchange(served, await createCode(served));
  expect(response.status).toBe(204);
  return { cookie: String(response.headers["set-cookie"]).split(";", 1)[0] ?? "" };
}

test("exchanges a code for a cookie that scripts cannot read and other sites do not send", async () => {
  await using served = await serveWithPage();
  const { json } = await served.call("POST", "/v1/sign-in-codes", { body: {} });
  expect(json).toEqual({
    code: expect.stringMatching(/^[\w-]{43}$/),
    expiresAt: "2026-01-01T00:01:00.000Z",
    url: served.url,
  });
  const response = await exchange(served, json.code);
  expect(response).toMatchObject({ status: 204, text: "" });
  const { port } = new URL(served.url);
  expect(response.headers["set-cookie"]).toEqual([
    expect.stringMatching(
      new RegExp(
        `^halyard-${port}=[\\w-]{43}; Path=/v1; Max-Age=2592000; HttpOnly; SameSite=Strict$`,
      ),
    ),
  ]);
  const cookie = String(response.headers["set-cookie"]).split(";", 1)[0] ?? "";
  expect(cookie).not.toContain(json.code);
  const headers = { cookie: `theme=dark; ${cookie}` };
  expect((await fromPage(served, "GET", "/v1/sessions", { headers })).status).toBe(200);
  expect((await fromPage(served, "GET", "/v1/health", { headers })).json.pid).toBe(process.pid);
  const body = { runtime: "fake", cwd: served.cwd };
  const started = await fromPage(served, "POST", "/v1/sessions", { headers, body });
  expect(started.status).toBe(201);
});

test("accepts a code once, even if it is sent twice at the same time", async () => {
  await using served = await serveWithPage();
  const code = await createCode(served);
  const both = await Promise.all([exchange(served, code), exchange(served, code)]);
  expect(both.map(({ status }) => status).sort()).toEqual([204, 401]);
  const again = await exchange(served, code);
  expect(again).toMatchObject({ status: 401, json: { code: "unauthorized" } });
  expect(again.headers["set-cookie"]).toBeUndefined();
});

test("rejects a wrong or expired code, and a lifetime of more than ten minutes", async () => {
  await using served = await serveWithPage();
  expect((await exchange(served, "wrong")).status).toBe(401);
  const code = await createCode(served);
  const longer = await createCode(served, { lifetimeMs: 600_000 });
  served.pass(60_000);
  expect((await exchange(served, code)).status).toBe(401);
  expect((await exchange(served, longer)).status).toBe(204);
  const body = { lifetimeMs: 600_001 };
  expect((await served.call("POST", "/v1/sign-in-codes", { body })).status).toBe(400);
});

test("creates a code only for clients with a token or a cookie", async () => {
  await using served = await serveWithPage();
  expect((await fromPage(served, "POST", "/v1/sign-in-codes", { body: {} })).status).toBe(401);
  const headers = await signIn(served);
  const code = await fromPage(served, "POST", "/v1/sign-in-codes", { headers, body: {} });
  expect(code.status).toBe(201);
});

test("exchanges a code only for the server's own page", async () => {
  await using served = await serveWithPage({ origins: ["https://good.example"] });
  const code = await createCode(served);
  const foreign = [
    { origin: "https://evil.example" },
    { origin: "https://good.example" },
    { origin: "null" },
    { origin: "http://127.0.0.1:1" },
    { "sec-fetch-site": "same-site" },
    { host: "evil.example", origin: "http://evil.example" },
  ];
  for (const headers of foreign) {
    expect(await exchange(served, code, headers)).toMatchObject({ status: 403 });
  }
  const url = new URL("/v1/sign-in", served.url);
  expect((await callWire(url, "POST", { body: { code } })).status).toBe(403); // the request has no Origin header
  expect((await exchange(served, code)).status).toBe(204);
});

test.for<[string, Record<string, string>]>([
  ["without an Origin", {}],
  ["from another origin", { origin: "https://evil.example" }],
  ["from another port of this machine", { origin: "http://127.0.0.1:1" }],
  ["from an opaque origin", { origin: "null" }],
  ["from an origin that is allowed with a token", { origin: "https://good.example" }],
  ["from another site, by its Sec-Fetch-Site", { origin: "own", "sec-fetch-site": "cross-site" }],
  ["to a host name of another site", { origin: "http://evil.example", host: "evil.example" }],
])("rejects a change with the cookie %s", async ([, given]) => {
  await using served = await serveWithPage({ origins: ["https://good.example"] });
  const { cookie } = await signIn(served);
  const { origin } = given;
  const headers = { ...given, cookie, ...(origin === "own" && { origin: served.url }) };
  const body = { runtime: "fake", cwd: served.cwd };
  const response = await callWire(new URL("/v1/sessions", served.url), "POST", { headers, body });
  expect(response).toMatchObject({ status: 403, json: { code: "forbidden" } });
  expect(await served.halyard.sessions()).toEqual([]);
});

test("reads events with the cookie, but not from another host or another page", async () => {
  await using served = await serveWithPage({ origins: ["https://good.example"] });
  const { cookie } = await signIn(served);
  const read = (headers: Record<string, string>) =>
    callWire(new URL("/v1/events?follow=false", served.url), "GET", { headers });
  expect((await read({ cookie })).status).toBe(200);
  expect((await read({ cookie, "sec-fetch-site": "none" })).status).toBe(200);
  const { port } = new URL(served.url);
  for (const headers of [
    { host: `evil.example:${port}` },
    { origin: "https://good.example" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "cross-site" },
  ]) {
    expect((await read({ cookie, ...headers })).status).toBe(403);
  }
});

test("rejects a cookie that is wrong, has expired or lacks the port in its name", async () => {
  await using served = await serveWithPage();
  const { cookie } = await signIn(served);
  const status = async (text: string) =>
    (await fromPage(served, "GET", "/v1/sessions", { headers: { cookie: text } })).status;
  const [name = "", value = ""] = cookie.split("=");
  expect(await status(`${name}=${value.slice(1)}`)).toBe(401);
  expect(await status(`${name}=`)).toBe(401);
  expect(await status(`halyard=${value}`)).toBe(401);
  served.pass(30 * 24 * 3_600_000 - 1);
  expect(await status(cookie)).toBe(200);
  served.pass(1);
  expect(await status(cookie)).toBe(401);
});

test("rejects a wrong token even if the cookie is valid", async () => {
  await using served = await serveWithPage();
  const { cookie } = await signIn(served);
  const headers = { cookie, authorization: `Bearer ${TOKEN}x` };
  expect((await fromPage(served, "GET", "/v1/sessions", { headers })).status).toBe(401);
});

test("signs out one browser, or signs out all browsers and ends their event streams", async () => {
  await using served = await serveWithPage();
  const [one, two, three] = [await signIn(served), await signIn(served), await signIn(served)];
  const status = async (headers: { cookie: string }) =>
    (await fromPage(served, "GET", "/v1/sessions", { headers })).status;
  const out = await fromPage(served, "DELETE", "/v1/sign-in", { headers: one });
  expect(out.status).toBe(204);
  expect(String(out.headers["set-cookie"])).toMatch(/^halyard-\d+=; Path=\/v1; Max-Age=0; /);
  expect([await status(one), await status(two), await status(three)]).toEqual([401, 200, 200]);
  const stream = await served.open("/v1/events", two);
  const ended = (async () => {
    for await (const _ of frames(stream)); // the stream ends without an end event
  })();
  expect((await served.call("DELETE", "/v1/sign-in?all=true")).status).toBe(204);
  await ended;
  expect([await status(two), await status(three)]).toEqual([401, 401]);
});

test("stores only digests of the secrets, and recognizes the browsers after a restart", async () => {
  let stored: readonly SignedInBrowser[] = [];
  const browsers = {
    read: async () => stored,
    write: async (all: readonly SignedInBrowser[]) => {
      stored = all;
    },
  };
  await using served = await serveWithPage({ browsers });
  const { cookie } = await signIn(served);
  expect(stored).toEqual([{ digest: expect.any(String), expiresAt: "2026-01-31T00:00:00.000Z" }]);
  expect(cookie).not.toContain(stored[0]?.digest);
  const now = () => new Date("2026-01-30T00:00:00Z");
  const web = await temporaryDirectory();
  const later = createServer(served.halyard, { web, browsers, now });
  const headers = { cookie, host: new URL(served.url).host };
  expect((await later.app.request("/v1/sessions", { headers })).status).toBe(200);
});

test("rejects the creation of a code if the server has no page", async () => {
  await using served = await serve();
  const created = await served.call("POST", "/v1/sign-in-codes", { body: {} });
  expect(created).toMatchObject({ status: 422, json: { code: "unsupported" } });
});

test("limits the cookie to the base path", async () => {
  await using served = await serve();
  const web = await temporaryDirectory();
  const { app } = createServer(served.halyard, { token: TOKEN, basePath: "/halyard", web });
  const send = (path: string, headers: Record<string, string>, body: object) =>
    app.request(`http://localhost/halyard${path}`, {
      method: "POST",
      headers: { ...headers, origin: "http://localhost" },
      body: JSON.stringify(body),
    });
  const created = await send("/v1/sign-in-codes", { authorization: `Bearer ${TOKEN}` }, {});
  const { code } = (await created.json()) as { code: string };
  const response = await send("/v1/sign-in", {}, { code });
  expect(response.headers.get("set-cookie")).toMatch(/^halyard=[\w-]{43}; Path=\/halyard\/v1; /);
});
