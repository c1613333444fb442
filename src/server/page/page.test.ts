import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { serve } from "../../../test/http/served.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { createServer } from "../index.ts";

const script = `export const text = "${"halyard ".repeat(500)}";`;

/** Writes a small page: an index, a script with a hash in its name, and a picture. */
async function buildPage(): Promise<string> {
  const directory = join(await temporaryDirectory(), "web");
  await mkdir(join(directory, "assets"), { recursive: true });
  await writeFile(join(directory, "index.html"), "<!doctype html><title>Halyard</title>");
  await writeFile(join(directory, "assets", "app-1a2b3c4d.js"), script);
  await writeFile(join(directory, "icon.png"), "not compressed");
  await writeFile(join(directory, "..", "secret.txt"), "outside of the page");
  return directory;
}

test("serves the index without a token, with headers that forbid frames and content from other origins", async () => {
  await using served = await serve({ web: await buildPage() });
  const response = await fetch(served.url);
  expect(response.status).toBe(200);
  expect(await response.text()).toBe("<!doctype html><title>Halyard</title>");
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-cache",
    "content-security-policy":
      "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  });
});

test("lets a browser cache a file with a hash in its name, and requires revalidation of other files", async () => {
  await using served = await serve({ web: await buildPage() });
  const file = await served.call("GET", "/assets/app-1a2b3c4d.js");
  expect(file).toMatchObject({ status: 200, type: "text/javascript; charset=utf-8", text: script });
  expect(file.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  const picture = await served.call("GET", "/icon.png");
  expect(picture.headers).toMatchObject({
    "content-type": "image/png",
    "cache-control": "no-cache",
  });
  const headers = { "if-none-match": String(picture.headers.etag) };
  expect(await served.call("GET", "/icon.png", { headers })).toMatchObject({
    status: 304,
    text: "",
  });
  expect(await served.call("GET", "/", { headers })).toMatchObject({ status: 200 });
  const head = await served.call("HEAD", "/icon.png");
  expect(head).toMatchObject({ status: 200, text: "" });
});

test("compresses text with an encoding that the client accepts, and prefers files that the build compressed", async () => {
  const directory = await buildPage();
  await writeFile(join(directory, "assets", "app-1a2b3c4d.js.gz"), "prepared");
  await using served = await serve({ web: directory });
  const read = async (path: string, accept: string) => {
    const response = await served.open(path, { "accept-encoding": accept });
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    return { encoding: response.headers["content-encoding"], body: Buffer.concat(chunks) };
  };
  const path = "/assets/app-1a2b3c4d.js";
  const brotli = await read(path, "gzip, deflate, br");
  expect(brotli.encoding).toBe("br");
  expect(brotliDecompressSync(brotli.body).toString()).toBe(script);
  expect(await read(path, "gzip, br;q=0")).toEqual({
    encoding: "gzip",
    body: Buffer.from("prepared"),
  });
  const index = await read("/", "gzip");
  expect(gunzipSync(index.body).toString()).toContain("Halyard");
  expect((await read(path, "identity")).encoding).toBeUndefined();
  expect((await read("/icon.png", "br")).encoding).toBeUndefined();
  expect((await served.call("GET", `${path}.gz`)).status).toBe(404);
});

test.for([
  "/../secret.txt",
  "/%2e%2e/secret.txt",
  "/..%2fsecret.txt",
  "/assets/../../secret.txt",
  "/assets/..%5c..%5csecret.txt",
  "//secret.txt",
  "/%00index.html",
  "/assets",
  "/assets/",
])("does not serve %s", async (path) => {
  await using served = await serve({ web: await buildPage() });
  const { hostname, port } = new URL(served.url);
  const { request } = await import("node:http");
  const status = await new Promise((resolve, reject) => {
    const call = request({ hostname, port, path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on("error", reject).end();
  });
  expect(status).toBe(404);
});

test("serves no page without the option `web`, and rejects a foreign host or origin", async () => {
  const web = await buildPage();
  await using plain = await serve();
  expect((await plain.call("GET", "/")).status).toBe(404);
  await using served = await serve({ web });
  for (const headers of [{ host: "evil.example" }, { origin: "https://evil.example" }])
    expect((await served.call("GET", "/", { headers })).status).toBe(403);
});

test("reports that the page is not built, and serves the page after it is built", async () => {
  const web = await buildPage();
  const built = `${web}-later`;
  await using served = await serve({ web: built });
  expect(await served.call("GET", "/")).toMatchObject({
    status: 404,
    json: { code: "not_found", detail: expect.stringContaining("npm run build") },
  });
  expect((await served.call("GET", "/assets/app-1a2b3c4d.js")).status).toBe(404);
  await mkdir(built);
  await writeFile(join(built, "index.html"), "built");
  expect(await served.call("GET", "/")).toMatchObject({ status: 200, text: "built" });
  await rm(built, { recursive: true });
  expect(await served.call("GET", "/")).toMatchObject({ status: 200, text: "built" });
});

test("serves the page below the base path, and redirects a path without a slash to it", async () => {
  await using served = await serve();
  const { app } = createServer(served.halyard, {
    basePath: "/api/halyard",
    web: await buildPage(),
  });
  const get = (path: string) => app.request(`http://localhost${path}`);
  expect((await get("/api/halyard/")).status).toBe(200);
  expect((await get("/api/halyard/assets/app-1a2b3c4d.js")).status).toBe(200);
  const redirect = await get("/api/halyard");
  expect([redirect.status, redirect.headers.get("location")]).toEqual([308, "/api/halyard/"]);
  expect((await get("/")).status).toBe(404);
  expect((await get("/api/halyard/v1/sessions")).status).toBe(401);
});
