import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import { candidates } from "./candidates.ts";
import { chooseEngine } from "./choose-engine.ts";

const addressesOf = (env: Record<string, string>) =>
  candidates(env).map(({ name, address }) => `${name} ${address}`);

test("tries Docker's usual sockets before Podman's by default", () => {
  expect(addressesOf({ XDG_RUNTIME_DIR: "/run/user/7" })).toEqual([
    "docker unix:///var/run/docker.sock",
    "docker unix:///run/user/7/docker.sock",
    "podman unix:///run/user/7/podman/podman.sock",
    "podman unix:///run/podman/podman.sock",
  ]);
});

test("uses only the engine in CONTAINER_RUNTIME and the address in the engine's own variable", () => {
  expect(addressesOf({ CONTAINER_RUNTIME: "podman" })).toEqual([
    "podman unix:///run/podman/podman.sock",
  ]);
  expect(addressesOf({ CONTAINER_RUNTIME: "docker", DOCKER_HOST: "unix:///x" })).toEqual([
    "docker unix:///x",
  ]);
  expect(addressesOf({ CONTAINER_RUNTIME: "podman", CONTAINER_HOST: "tcp://127.0.0.1:7" })).toEqual(
    ["podman tcp://127.0.0.1:7"],
  );
  expect(addressesOf({ CONTAINER_RUNTIME: "apple" })).toEqual(["apple container"]);
});

test.for([
  [{ CONTAINER_RUNTIME: "lxc" }, /docker, podman, apple or auto/],
  [{ CONTAINER_RUNTIME: "docker", DOCKER_HOST: "ssh://far" }, /unix:\/\/\/path or tcp:/],
] as const)("rejects %o with the accepted values", ([env, message]) => {
  expect(() => candidates(env)).toThrow(message);
});

test("chooses the first engine that responds", async () => {
  const socket = join(await temporaryDirectory(), "e.sock");
  const server = createServer((_, answer) => answer.end('{"Version":"9.9.9"}'));
  await new Promise<void>((resolve) => server.listen(socket, () => resolve()));
  onTestFinished(() => void server.close());
  const env = { DOCKER_HOST: "unix:///nowhere/e.sock", CONTAINER_HOST: `unix://${socket}` };
  expect(await chooseEngine(env)).toMatchObject({ name: "podman", address: `unix://${socket}` });
});

test("reports for each engine why it is unavailable and how to start it", async () => {
  const env = { DOCKER_HOST: "unix:///nowhere/d.sock", CONTAINER_HOST: "unix:///nowhere/p.sock" };
  await expect(chooseEngine(env)).rejects.toMatchObject({
    code: "host_unavailable",
    message: expect.stringMatching(
      /Docker is not running at unix:\/\/\/nowhere\/d.sock.*dockerd.*Podman is not running at.*podman system service.*doctor/,
    ),
  });
});
