import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import { inspectEngines } from "./doctor.ts";

/** Starts a fake engine with these responses. */
async function startEngine(answers: Record<string, [number, unknown]>) {
  const socket = join(await temporaryDirectory(), "e.sock");
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const path = `${request.method} ${request.url?.replace(/^\/v1.41|\?.*$/g, "")}`;
    const [status, body] = answers[path] ?? [404, { message: "no such thing" }];
    response.writeHead(status).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(socket, () => resolve()));
  onTestFinished(() => void server.close());
  return { CONTAINER_RUNTIME: "podman", CONTAINER_HOST: `unix://${socket}` };
}

const version: [number, unknown] = [200, { Version: "4.3.1" }];

test("reports an image that the engine does not have, and how to build it", async () => {
  const env = await startEngine({ "GET /version": version });
  expect(await inspectEngines(env, "localhost/x:1")).toEqual([
    {
      name: "podman",
      address: env.CONTAINER_HOST,
      isChosen: true,
      version: "4.3.1",
      hasImage: false,
      advice: ['Run "halyard image build --tag localhost/x:1" to build the image.'],
    },
  ]);
});

test("reports the error of an engine that cannot start a container, and how to fix it", async () => {
  const message = "crun: cgroups in hybrid mode not supported, drop all controllers from cgroupv2";
  const env = await startEngine({
    "GET /version": version,
    "GET /images/localhost%2Fx%3A1/json": [200, {}],
    "POST /containers/create": [201, { Id: "one" }],
    "POST /containers/one/start": [500, { message }],
  });
  expect(await inspectEngines(env, "localhost/x:1")).toMatchObject([
    {
      starts: false,
      problem: message,
      advice: [expect.stringContaining('runtime = "runc"')],
    },
  ]);
});

test("does not choose an engine that does not respond, and reports that Apple Container is untested", async () => {
  const env = { CONTAINER_RUNTIME: "docker", DOCKER_HOST: "unix:///nowhere/e.sock" };
  expect(await inspectEngines(env, "x")).toMatchObject([
    { name: "docker", isChosen: false, problem: expect.stringContaining("Docker is not running") },
  ]);
  const apple = await inspectEngines({ CONTAINER_RUNTIME: "apple", PATH: "/nowhere" }, "x");
  expect(apple).toMatchObject([{ name: "apple", advice: [expect.stringMatching(/not on a Mac/)] }]);
});
