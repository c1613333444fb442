import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { serve, TOKEN } from "../../test/http/served.ts";
import { codeOf } from "../../test/layers.ts";
import { startFake } from "../testing/halyard/fixture.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { connectHalyard } from "./index.ts";

test("whoever has no token, or a wrong one, learns so at once", async () => {
  await using served = await serve();
  for (const options of [{}, { token: "wrong" }]) {
    const connecting = connectHalyard(served.url, options);
    await expect(connecting).rejects.toMatchObject({ code: "unauthorized" });
  }
});

test("where nobody answers, the error says where that was", async () => {
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

test.each(["nonsense", "", "ftp://127.0.0.1"])("%j is no address", async (target) => {
  await expect(connectHalyard(target)).rejects.toMatchObject({ code: "invalid_input" });
});

test("somebody else's server is not taken for a Halyard", async () => {
  const teapot = async () => new Response("I am a teapot", { status: 418 });
  const connecting = connectHalyard("http://127.0.0.1", { fetch: teapot });
  await expect(connecting).rejects.toMatchObject({ code: "unreachable" });
});

test("a platform with nothing but fetch is enough", async () => {
  await using served = await serve();
  const { app } = served.server;
  const fetchApp: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    request.headers.set("host", "localhost");
    return app.fetch(request);
  };
  await using halyard = await connectHalyard("http://localhost", { token: TOKEN, fetch: fetchApp });
  const again = async () => halyard;
  const room = { halyard, cwd: served.cwd, again, [Symbol.asyncDispose]: async () => {} };
  const session = await startFake(room);
  expect(await session.send("say hello").outcome).toMatchObject({ text: "hello" });
});

test("nothing of Node is loaded but for a unix socket", () => {
  const reached = new Set<string>();
  const waiting = [new URL("./index.ts", import.meta.url).href];
  const outside = new Set<string>();
  for (const href of waiting) {
    if (reached.has(href)) continue;
    reached.add(href);
    const source = codeOf(readFileSync(new URL(href), "utf8"));
    const statements = source.matchAll(/^(?:import|export) (?!type\b)[^;]*?from "([^"]+)";/gms);
    for (const [, specifier = ""] of statements) {
      if (specifier.startsWith(".")) waiting.push(new URL(specifier, href).href);
      else outside.add(specifier);
    }
  }
  expect(reached.size).toBeGreaterThan(10);
  expect([...outside].sort()).toEqual(["eventsource-parser", "nanoid", "zod"]);
});
