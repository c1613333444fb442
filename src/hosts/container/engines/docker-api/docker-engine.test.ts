import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { startFakeEngine } from "../../../../../test/containers/fake-engine.ts";
import { temporaryDirectory } from "../../../../testing/temporary-directory.ts";
import { parseAddress } from "./address.ts";
import { createDockerEngine } from "./docker-engine.ts";

test("rejects an exec with the signal's reason when the signal is aborted", async () => {
  const fake = await startFakeEngine(join(await temporaryDirectory(), "engine.sock"));
  const engine = createDockerEngine(parseAddress("docker", fake.url));
  const body = { Image: "image", Labels: {}, Env: [] };
  const execs: string[] = [];
  fake.containers.set("one", { name: "one", body, execs, status: "running" });
  const patience = new AbortController();
  const running = engine.exec("one", { args: ["sleep", "1000"] }, { signal: patience.signal });
  running.catch(() => {}); // awaited below
  await expect.poll(() => execs.length).toBe(1);
  patience.abort(new Error("too long"));
  await expect(running).rejects.toThrow("too long");
  const again = engine.exec("one", { args: ["echo", "a"] }, { signal: patience.signal });
  await expect(again).rejects.toThrow("too long");
  expect(execs, "starts no program if the signal is already aborted").toHaveLength(1);
  expect(await engine.exec("one", { args: ["echo", "a"] })).toMatchObject({ stdout: "a\n" });
});

/** Starts an engine that responds to every request with one response, and returns the engine. */
async function engineThatAnswers(status: number, body: object) {
  const socket = join(await temporaryDirectory(), "engine.sock");
  const server = createServer((request, response) => {
    request.resume().once("end", () => response.writeHead(status).end(JSON.stringify(body)));
  });
  server.listen(socket);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return createDockerEngine(parseAddress("docker", `unix://${socket}`));
}

test.each([
  [200, { error: "it is broken\n" }],
  [500, { message: "it is broken." }],
])("explains what to do if the work on an image fails with status %i", async (status, body) => {
  const engine = await engineThatAnswers(status, body);
  const files = { Dockerfile: "FROM scratch\n" };
  await expect(engine.build({ tag: "x", files, args: {} })).rejects.toMatchObject({
    code: "start_failed",
    message:
      'Building the image x failed: it is broken. Correct the failed step, or run "halyard container doctor" to check the engine.',
  });
  await expect(engine.pull("x")).rejects.toMatchObject({
    code: "start_failed",
    message:
      "Pulling the image x failed: it is broken. Check the image's name and the engine's access to the image's registry.",
  });
  const imported = engine.importImage(Readable.from(["x"]), { tag: "x", changes: [] });
  await expect(imported).rejects.toMatchObject({
    code: "start_failed",
    message:
      'Importing the image x failed: it is broken. Check the free disk space, or run "halyard container doctor" to check the engine.',
  });
});
