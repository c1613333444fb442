import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { examineEngines } from "./doctor.ts";

/** An engine that answers as a broken or bare one does. */
async function startEngine(answers: Record<string, [number, unknown]>) {
  const socket = join(await temporaryDirectory(), "e.sock");
  const server = createServer((asked: IncomingMessage, answer: ServerResponse) => {
    const path = `${asked.method} ${asked.url?.replace(/^\/v1.41|\?.*$/g, "")}`;
    const [status, body] = answers[path] ?? [404, { message: "no such thing" }];
    answer.writeHead(status).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(socket, () => resolve()));
  onTestFinished(() => void server.close());
  return { CONTAINER_RUNTIME: "podman", CONTAINER_HOST: `unix://${socket}` };
}

const version: [number, unknown] = [200, { Version: "4.3.1" }];

test("an engine without the image is told to need it", async () => {
  const env = await startEngine({ "GET /version": version });
  expect(await examineEngines(env, "localhost/x:1")).toEqual([
    {
      name: "podman",
      address: env.CONTAINER_HOST,
      isChosen: true,
      version: "4.3.1",
      hasImage: false,
      advice: ["make the image localhost/x:1: halyard image build"],
    },
  ]);
});

test("an engine that cannot start a container is told with its words and the cure", async () => {
  const message = "crun: cgroups in hybrid mode not supported, drop all controllers from cgroupv2";
  const env = await startEngine({
    "GET /version": version,
    "GET /images/localhost%2Fx%3A1/json": [200, {}],
    "POST /containers/create": [201, { Id: "one" }],
    "POST /containers/one/start": [500, { message }],
  });
  expect(await examineEngines(env, "localhost/x:1")).toMatchObject([
    {
      starts: false,
      problem: message,
      advice: [expect.stringContaining('runtime = "runc"')],
    },
  ]);
});

test("an engine that does not answer is not chosen, and Apple's is told to be untested", async () => {
  const env = { CONTAINER_RUNTIME: "docker", DOCKER_HOST: "unix:///nowhere/e.sock" };
  expect(await examineEngines(env, "x")).toMatchObject([
    { name: "docker", isChosen: false, problem: expect.stringContaining("There is no Docker") },
  ]);
  const apple = await examineEngines({ CONTAINER_RUNTIME: "apple", PATH: "/nowhere" }, "x");
  expect(apple).toMatchObject([{ name: "apple", advice: [expect.stringMatching(/not on a Mac/)] }]);
});
