import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createDeferred } from "../async/deferred.ts";
import type { Halyard } from "../contracts/halyard.ts";
import { createHalyard } from "../create-halyard.ts";
import { HalyardError } from "../errors/error.ts";
import type { HalyardOptions } from "../halyard-options.ts";
import { HookPayload } from "../schema/hook.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

interface Scene {
  readonly halyard: Halyard;
  readonly cwd: string;
  readonly received: HookPayload[];
  readonly problems: string[];
  again(): Promise<Halyard>;
}

/** Creates a Halyard instance with the fake agent and a hook that collects its payloads. */
async function openScene(options: HalyardOptions = {}): Promise<Scene> {
  const cwd = await temporaryDirectory();
  const home = await temporaryDirectory();
  const received: HookPayload[] = [];
  const problems: string[] = [];
  const again = async (): Promise<Halyard> => {
    const halyard = await createHalyard({
      home,
      env: {},
      adapters: [fakeAdapter()],
      hooks: [(payload) => void received.push(HookPayload.parse(payload))],
      onHookProblem: (text) => problems.push(text),
      ...options,
    });
    onTestFinished(() => halyard[Symbol.asyncDispose]());
    return halyard;
  };
  return { halyard: await again(), cwd, received, problems, again };
}

const gasTown = {
  GT_RIG: "greenplace",
  GT_ROLE: "polecat",
  GT_BEAD: "gp-123",
  BD_ACTOR: "greenplace/polecats/ivy",
};

test("delivers a session's events in order, with every payload field", async () => {
  const { halyard, cwd, received } = await openScene();
  const session = await halyard.start({ runtime: "fake", cwd, env: gasTown });
  await session.send("say hello").outcome;
  await session.send("fail out of cheese").outcome;
  await session.stop("all done");
  await halyard[Symbol.asyncDispose]();

  const common = {
    runtime: "fake",
    session_id: session.id,
    workdir: cwd,
    rig: "greenplace",
    role: "polecat",
    bead: "gp-123",
    actor: "greenplace/polecats/ivy",
    timestamp: expect.any(String),
  };
  const seq = expect.any(Number);
  const turn_id = expect.any(String);
  const started = { opened: "started", runtime_session_id: expect.any(String) };
  expect(received).toMatchObject([
    { ...common, event: "SessionStart", data: { seq, ...started } },
    { ...common, event: "OnMessage", data: { seq, turn_id, role: "user", message: "say hello" } },
    { ...common, event: "OnMessage", data: { seq, turn_id, role: "assistant", message: "hello" } },
    { ...common, event: "OnMessage", data: { role: "user", message: "fail out of cheese" } },
    { ...common, event: "OnError", data: { code: "agent_failed", message: "out of cheese" } },
    { ...common, event: "SessionStop", data: { reason: "all done", state: "stopped" } },
  ]);
  const keys = "event runtime session_id workdir rig role bead actor timestamp data".split(" ");
  for (const payload of received) expect(Object.keys(payload)).toEqual(keys);
});

test("sets payload fields to null if their value is not known", async () => {
  const { halyard, cwd, received } = await openScene();
  await using session = await halyard.start({ runtime: "fake", cwd });
  await session.ready();
  await halyard[Symbol.asyncDispose]();
  expect(received[0]).toMatchObject({ rig: null, role: null, bead: null, actor: null });
});

test("continues delivery where the first process stopped and repeats no event when a session is resumed [s1.open.hook-origin]", async () => {
  const { halyard, cwd, received, again } = await openScene();
  const session = await halyard.start({ runtime: "fake", cwd, env: gasTown });
  await session.send("say one").outcome;
  await halyard[Symbol.asyncDispose]();

  const later = await again();
  const resumed = await later.resume(session.id);
  expect(await later.resume(session.id)).toBe(resumed);
  await resumed.send("say two").outcome;
  await later[Symbol.asyncDispose]();

  expect(received.map(({ event, data }) => data.message ?? event)).toEqual([
    ...["SessionStart", "say one", "one", "SessionStop"],
    ...["SessionStart", "say two", "two", "SessionStop"],
  ]);
  const keys = received.map(({ session_id, event, data }) => `${session_id} ${event} ${data.seq}`);
  expect(new Set(keys).size).toBe(keys.length);
  expect(received.every(({ rig }) => rig === "greenplace")).toBe(true);
});

test("does not deliver SessionStop for a session that keeps running", async () => {
  const { halyard, cwd, received, again } = await openScene({ onDispose: "detach" });
  const session = await halyard.start({ runtime: "fake", cwd });
  await session.send("say one").outcome;
  await halyard[Symbol.asyncDispose]();
  expect(received.map(({ event }) => event)).toEqual(["SessionStart", "OnMessage", "OnMessage"]);

  const later = await again();
  const attached = await later.resume(session.id);
  await attached.send("say two").outcome;
  await attached.stop();
  await later[Symbol.asyncDispose]();
  expect(received.slice(3).map(({ event, data }) => data.message ?? data.opened ?? event)).toEqual([
    ...["attached", "say two", "two", "SessionStop"],
  ]);
});

test("does not delay a turn for a slow hook", async () => {
  const received = createDeferred<void>();
  const { halyard, cwd } = await openScene({ hooks: [() => received.promise] });
  const session = await halyard.start({ runtime: "fake", cwd });
  expect(await session.send("say hello").outcome).toMatchObject({ status: "completed" });
  received.resolve();
  await halyard[Symbol.asyncDispose]();
});

test("reports a hook that fails and delivers the next event to it", async () => {
  const received: string[] = [];
  const moody = async ({ event }: HookPayload) => {
    received.push(event);
    if (event === "SessionStart") throw new Error("not today");
  };
  const { halyard, cwd, problems } = await openScene({ hooks: [moody] });
  const session = await halyard.start({ runtime: "fake", cwd });
  await session.ready();
  await halyard[Symbol.asyncDispose]();
  expect(received).toEqual(["SessionStart", "SessionStop"]);
  expect(problems).toEqual([`Hook moody did not receive SessionStart of ${session.id}: not today`]);
});

test("delivers SessionStop when a session is removed", async () => {
  const { halyard, cwd, received } = await openScene();
  const session = await halyard.start({ runtime: "fake", cwd });
  await session.ready();
  await halyard.remove(session.id);
  expect(await halyard.find(session.id)).toBeUndefined();
  await halyard[Symbol.asyncDispose]();
  expect(received.map(({ event, data }) => data.reason ?? event)).toEqual([
    "SessionStart",
    "removed",
  ]);
});

test("delivers only the events that a hook names", async () => {
  const hooks = [{ file: "events.jsonl", events: ["SessionStop" as const] }];
  const { halyard, cwd } = await openScene({ hooks });
  const session = await halyard.start({ runtime: "fake", cwd });
  await session.send("say hello").outcome;
  await halyard[Symbol.asyncDispose]();
  const lines = (await readFile(join(cwd, "events.jsonl"), "utf8")).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(["SessionStop"]);
});

test("delivers OnError and SessionStop for a session that could not be started or was never ready", async () => {
  const broken = {
    ...fakeAdapter(),
    name: "broken",
    connect: () => Promise.reject(new HalyardError("start_failed", "no luck")),
  };
  const { halyard, cwd, received } = await openScene({ adapters: [fakeAdapter(), broken] });
  await expect(halyard.start({ runtime: "broken", cwd, env: gasTown })).rejects.toThrow("no luck");
  const options = { startup: "stderr no key; die 9" };
  const dying = await halyard.start({ runtime: "fake", cwd, options });
  await expect(dying.ready()).rejects.toMatchObject({ code: "agent_exited" });
  await halyard[Symbol.asyncDispose]();
  expect(
    received.map(({ runtime, event, data }) => [runtime, event, data.code ?? data.state]),
  ).toEqual([
    ["broken", "OnError", "start_failed"],
    ["broken", "SessionStop", "failed"],
    ["fake", "OnError", "agent_exited"],
    ["fake", "SessionStop", "failed"],
  ]);
  expect(received[0]).toMatchObject({ rig: "greenplace", data: { message: "no luck" } });
});

test("delivers SessionStop when a process stops a session that no process owns", async () => {
  const { halyard, cwd, received, again } = await openScene({ onDispose: "detach" });
  const session = await halyard.start({ runtime: "fake", cwd });
  await session.ready();
  await halyard[Symbol.asyncDispose]();
  const later = await again();
  await later.stop(session.id, "enough");
  await later[Symbol.asyncDispose]();
  expect(received.map(({ data }) => data.opened ?? data.reason)).toEqual([
    ...["started", "attached", "enough"],
  ]);
});

test("does not deliver a key that appears in the agent's output", async () => {
  const { halyard, cwd, received } = await openScene();
  const env = { SOME_API_KEY: "planted-secret-42" };
  const session = await halyard.start({ runtime: "fake", cwd, env });
  await session.send("say the key is planted-secret-42").outcome;
  await session.send("fail planted-secret-42").outcome;
  await halyard[Symbol.asyncDispose]();
  expect(received).toHaveLength(6);
  expect(JSON.stringify(received)).not.toContain("planted-secret-42");
});
