import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { candidates } from "./candidates.ts";
import { chooseRuntime } from "./choose-runtime.ts";

const told = (env: Record<string, string>) =>
  candidates(env).map(({ name, address }) => `${name} ${address}`);

test("without a word, Docker's usual sockets come before Podman's", () => {
  expect(told({ XDG_RUNTIME_DIR: "/run/user/7" })).toEqual([
    "docker unix:///var/run/docker.sock",
    "docker unix:///run/user/7/docker.sock",
    "podman unix:///run/user/7/podman/podman.sock",
    "podman unix:///run/podman/podman.sock",
  ]);
});

test("CONTAINER_RUNTIME names the only engine, and the engine's own variable its only address", () => {
  expect(told({ CONTAINER_RUNTIME: "podman" })).toEqual(["podman unix:///run/podman/podman.sock"]);
  expect(told({ CONTAINER_RUNTIME: "docker", DOCKER_HOST: "unix:///x" })).toEqual([
    "docker unix:///x",
  ]);
  expect(told({ CONTAINER_RUNTIME: "podman", CONTAINER_HOST: "tcp://127.0.0.1:7" })).toEqual([
    "podman tcp://127.0.0.1:7",
  ]);
  expect(told({ CONTAINER_RUNTIME: "apple" })).toEqual(["apple container"]);
});

test.for([
  [{ CONTAINER_RUNTIME: "lxc" }, /docker, podman, apple or auto/],
  [{ CONTAINER_RUNTIME: "docker", DOCKER_HOST: "ssh://far" }, /unix:\/\/\/path or tcp:/],
] as const)("%o is refused with what can be said instead", ([env, message]) => {
  expect(() => candidates(env)).toThrow(message);
});

test("the first engine that answers is taken", async () => {
  const socket = join(await temporaryDirectory(), "e.sock");
  const server = createServer((_, answer) => answer.end('{"Version":"9.9.9"}'));
  await new Promise<void>((resolve) => server.listen(socket, () => resolve()));
  onTestFinished(() => void server.close());
  const env = { DOCKER_HOST: "unix:///nowhere/e.sock", CONTAINER_HOST: `unix://${socket}` };
  expect(await chooseRuntime(env)).toMatchObject({ name: "podman", address: `unix://${socket}` });
});

test("where none answers, it is said of each why, and how to start it", async () => {
  const env = { DOCKER_HOST: "unix:///nowhere/d.sock", CONTAINER_HOST: "unix:///nowhere/p.sock" };
  await expect(chooseRuntime(env)).rejects.toMatchObject({
    code: "host_unavailable",
    message: expect.stringMatching(
      /no Docker at unix:\/\/\/nowhere\/d.sock.*dockerd.*no Podman at.*podman system service.*doctor/,
    ),
  });
});
