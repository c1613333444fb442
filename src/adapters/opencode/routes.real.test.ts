import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { test as base, expect, onTestFinished } from "vitest";
import { openRecordedLine } from "../../../test/opencode/recorded-line.ts";
import { createScene, untilDelta } from "../../../test/opencode/scene.ts";
import { pidOf } from "../../../test/real/scene.ts";

/** `shared` is the scene for tests that can use a server that is already running. */
const test = base.extend<{ shared: Awaited<ReturnType<typeof createRecordedScene>> }>({
  shared: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the required fixtures from this pattern
    async ({}, use) => {
      await using scene = await createRecordedScene();
      scene.model.on("greet", { text: "Hello." });
      await use(scene);
    },
    { scope: "file" },
  ],
});

async function openRecordedScene() {
  const scene = await createRecordedScene();
  onTestFinished(() => scene[Symbol.asyncDispose]());
  return scene;
}

async function createRecordedScene() {
  const line = await openRecordedLine();
  const scene = await createScene({ reach: (url) => line.to(url) });
  return {
    ...scene,
    line,
    routes: () => line.requests.map(({ route }) => route),
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]();
      await line[Symbol.asyncDispose]();
    },
  };
}

test("starts a server, and checks its health before any other request", async ({ shared }) => {
  const { start, routes } = shared;
  const session = await start();
  const { stdout } = await promisify(execFile)("ps", [
    "-o",
    "args=",
    "-p",
    String(await pidOf(session)),
  ]);
  expect(stdout).toMatch(/opencode serve --port \d+ --hostname 127\.0\.0\.1/);
  expect(routes().slice(0, 3)).toEqual([
    "GET /global/health",
    "GET /global/event",
    "POST /session",
  ]);
});

test("reuses the server and the event stream for the project's next session [s2.d1.no-cold-boot] [s2.risk.startup-overhead]", async ({
  shared,
}) => {
  const { start, routes } = shared;
  const first = await start();
  const before = routes().length;
  const second = await start();
  for (const session of [first, second])
    expect(await session.send("greet me").outcome).toMatchObject({ text: "Hello." });
  expect(await pidOf(second)).toBe(await pidOf(first));
  const count = (route: string) =>
    routes()
      .slice(before)
      .filter((one) => one === route).length;
  expect(count("POST /session")).toBe(1);
  expect(count("GET /global/health")).toBe(0);
  expect(count("GET /global/event")).toBe(0);
});

test("creates, prompts, aborts and resumes a session over HTTP", async ({ shared }) => {
  const { start, routes, model, halyard } = shared;
  model.on("sing", { text: "la ".repeat(300), chunkSize: 3, chunkDelayMs: 30 });
  const session = await start();
  const { runtimeSessionId: id } = session.info;
  await session.send("greet me").outcome; // needed because the first turn in a directory is not streamed
  const turn = session.send("sing");
  await untilDelta(turn); // only the event stream reports the delta before the end of the turn
  expect(routes()).not.toContain(`GET /session/${id}/message`);
  expect(routes()).not.toContain(`POST /session/${id}/abort`);
  await turn.cancel();
  expect(await turn.outcome).toMatchObject({ status: "cancelled" });
  await session.stop();
  await halyard.resume(session.id, { model: model.endpoint("openai-chat") });
  expect(routes()).toEqual(
    expect.arrayContaining([
      "POST /session",
      `POST /session/${id}/prompt_async`,
      `POST /session/${id}/abort`,
      `GET /session/${id}`,
    ]),
  );
});

test("sends one request to the server per turn [s2.goal.performance]", async ({ shared }) => {
  const { start, routes } = shared;
  const session = await start();
  const { runtimeSessionId: id } = session.info;
  await session.send("greet me").outcome;
  const before = routes().length;
  await session.send("greet me").outcome;
  expect(routes().slice(before)).toEqual([`POST /session/${id}/prompt_async`]);
});

test("sends messages over the blocking route if the option `blocking` is set [s2.endpoint.message]", async ({
  shared,
}) => {
  const { start, routes } = shared;
  const session = await start({ options: { blocking: true } });
  const { runtimeSessionId: id } = session.info;
  for (const _time of [1, 2])
    expect(await session.send("greet me").outcome).toMatchObject({
      status: "completed",
      text: "Hello.",
    });
  expect(routes()).toContain(`POST /session/${id}/message`);
  expect(routes()).not.toContain(`POST /session/${id}/prompt_async`);
});

test("deletes a removed session in OpenCode, running or not [s2.endpoint.session-delete]", async () => {
  const { start, routes, model, halyard } = await openRecordedScene();
  model.on("greet", { text: "Hello." });
  const [running, stopped] = [await start(), await start()];
  await stopped.stop();
  for (const { id, info } of [running, stopped]) {
    await halyard.remove(id);
    expect(routes()).toContain(`DELETE /session/${info.runtimeSessionId}`);
  }
});

test("a ping succeeds while the server runs, and fails after its death until the next message starts another server [s0.health.opencode-up] [s0.health.opencode-down]", async () => {
  const { start, routes, model } = await openRecordedScene();
  model.on("greet", { text: "Hello." });
  const session = await start();
  const before = routes().filter((route) => route === "GET /global/health").length;
  await session.ping();
  expect(routes().filter((route) => route === "GET /global/health")).toHaveLength(before + 1);
  process.kill(await pidOf(session), "SIGKILL");
  await expect.poll(() => session.ping().catch(({ code }) => code)).toBe("agent_exited");
  expect(await session.send("greet me").outcome).toMatchObject({ text: "Hello." });
  await session.ping();
});

test("sends the reasoning level as OpenCode's variant with each message [s3.reasoning.variant] [s3.reasoning.native-translation]", async () => {
  const { start, line, model } = await openRecordedScene();
  model.on("greet", { text: "Hello." });
  const session = await start({ reasoning: "high" });
  for (const _time of [1, 2]) await session.send("greet me").outcome;
  const sent = line.requests.filter(({ route }) => route.endsWith("/prompt_async"));
  const message = {
    parts: [{ type: "text", text: "greet me" }],
    agent: "build",
    model: { providerID: "halyard", modelID: "scripted" },
    variant: "high",
  };
  expect(sent.map(({ body }): unknown => JSON.parse(body))).toEqual([message, message]);
});
