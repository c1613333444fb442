import { spawn } from "node:child_process";
import { chown, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startFakeEngine } from "../../../../test/containers/fake-engine.ts";
import { createHalyard } from "../../../create-halyard.ts";
import { fakeAdapter } from "../../../testing/fake/index.ts";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";

/** Creates a user with a fake agent and a fake engine, and a working directory that root does not own. */
async function setUp() {
  const directory = await temporaryDirectory();
  const cwd = join(directory, "work");
  await mkdir(cwd);
  if (process.getuid?.() === 0) await chown(cwd, 1000, 1000);
  const engine = await startFakeEngine(join(directory, "engine.sock"));
  const env = { PATH: process.env.PATH, CONTAINER_RUNTIME: "docker", DOCKER_HOST: engine.url };
  const options = { home: join(directory, "home"), env, adapters: [fakeAdapter()] };
  const request = { cwd, runtime: "fake", host: "container" } as const;
  return { directory, engine, options, request };
}

test("lists a session's processes in a container, including orphaned ones", async () => {
  const { options, request, engine } = await setUp();
  await using halyard = await createHalyard(options);
  await using session = await halyard.start(request);
  const { text: pids } = await session.send("grandchild").outcome;
  const listed = await halyard.processes();
  const [container] = engine.containers.keys();
  const where = { host: "container", container, sessionId: session.id, isLeftOver: false };
  expect(listed).toHaveLength(3);
  expect(listed).toMatchObject([where, where, where]);
  expect(listed.map(({ pid }) => String(pid))).toEqual(expect.arrayContaining(pids.split(" ")));
  expect(listed.find(({ pid }) => pid === session.info.pid)?.command).toContain("main.mjs");
  expect(await halyard.reap()).toEqual([]);
  await session.stop();
  expect(await halyard.processes()).toEqual([]);
});

test("reap kills the container processes of a session that is not in the store", async () => {
  const { options, request } = await setUp();
  const first = await createHalyard({ ...options, onDispose: "detach" });
  await (await first.start(request)).send("grandchild").outcome;
  await first[Symbol.asyncDispose]();
  await using forgetful = await createHalyard({ ...options, store: "memory" });
  const left = await forgetful.processes();
  expect(left).toHaveLength(3);
  for (const info of left) expect(info).toMatchObject({ host: "container", isLeftOver: true });
  expect(await forgetful.reap()).toEqual(left);
  expect(await forgetful.processes()).toEqual([]);
});

test("ignores a process whose marker names another container's directory", async () => {
  const { directory, options, request } = await setUp();
  await using halyard = await createHalyard(options);
  await using session = await halyard.start(request);
  await session.ready();
  const mark = `${"0".repeat(32)}:${join(directory, "home/containers/another/run/ses_1")}`;
  const liar = spawn("sleep", ["1000"], { env: { PATH: process.env.PATH, HALYARD_RUN: mark } });
  onTestFinished(() => void liar.kill("SIGKILL"));
  const listed = await halyard.processes();
  expect(listed.map(({ pid }) => pid)).toEqual([session.info.pid]);
});

test("lists a program through the engine that started it, or as unreachable if that engine does not respond", async () => {
  const { options, request, engine } = await setUp();
  const first = await createHalyard({ ...options, onDispose: "detach" });
  const inside = await first.start(request);
  await inside.ready();
  await first[Symbol.asyncDispose]();
  const env = { ...options.env, DOCKER_HOST: "unix:///nowhere.sock" };
  await using halyard = await createHalyard({ ...options, env });
  await using local = await halyard.start({ ...request, host: "local" });
  await local.ready();
  const sessions = async () => (await halyard.processes()).map(({ sessionId }) => sessionId);
  expect(await sessions()).toEqual([local.id, inside.id]);
  await engine.close();
  const [, unreachable] = await halyard.processes();
  expect(unreachable).toEqual({
    pid: inside.info.pid,
    host: "container",
    sessionId: inside.id,
    command: "fake",
    isLeftOver: false,
    unreachable: expect.stringContaining(engine.url),
  });
  expect(await halyard.reap()).toEqual([]);
});
