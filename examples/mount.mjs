import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { getRequestListener } from "@hono/node-server";
import express from "express";
import { createHalyard } from "halyard";
import { connectHalyard } from "halyard/client";
import { createServer } from "halyard/server";
import { startScriptedModel } from "halyard/testing";
import { Hono } from "hono";

// Serves the API at /halyard on an existing server.
const scripted = await startScriptedModel([{ replies: [{ text: "Hello." }] }]);
const local = await createHalyard();
const token = "a token of at least 32 characters, please";
const { app } = createServer(local, { token, basePath: "/halyard" });

// Express: pass the raw request. Do not install a body parser before this handler.
const expressApp = express();
expressApp.use((request, response, next) =>
  request.path.startsWith("/halyard/") ? getRequestListener(app.fetch)(request, response) : next(),
);

// Hono: forward every request below a path.
const honoApp = new Hono().all("/halyard/*", ({ req }) => app.fetch(req.raw));

// Next.js: app/halyard/[...path]/route.ts exports one handler for each method. docs/http-api.md contains the complete files.
const handler = (/** @type {Request} */ request) => app.fetch(request);

export { handler as DELETE, handler as GET, handler as PATCH, handler as POST };

const listening = expressApp.listen(0, "127.0.0.1");
await new Promise((resolve) => listening.once("listening", resolve));
const address = listening.address();
const port = typeof address === "object" ? address?.port : undefined;

/** @type {[string, string, typeof fetch][]} */
const ways = [
  ["Express", `http://127.0.0.1:${port}/halyard`, fetch],
  ["Hono", "http://localhost/halyard", async (...call) => honoApp.fetch(new Request(...call))],
  ["Next.js", "http://localhost/halyard", async (...call) => handler(new Request(...call))],
];
const cwd = mkdtempSync(`${tmpdir()}/halyard-`);
for (const [name, url, call] of ways) {
  const halyard = await connectHalyard(url, { token, fetch: call });
  const session = await halyard.start({
    runtime: "pi",
    cwd,
    model: scripted.endpoint("anthropic"),
  });
  const { text } = await session.send("Say hello").outcome;
  await session.stop();
  await halyard[Symbol.asyncDispose]();
  console.log(`${name}: ${text}`);
}

listening.close();
await local[Symbol.asyncDispose]();
await scripted.close();
