import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createDeferred } from "../core/deferred.ts";
import { HalyardError } from "../core/error.ts";
import type { Halyard } from "../core/halyard.ts";
import { createHalyard, type HalyardOptions } from "../create-halyard.ts";
import { HookPayload } from "../schema/hook.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

interface Scene {
  readonly halyard: Halyard;
  readonly cwd: string;
  readonly told: HookPayload[];
  readonly problems: string[];
  again(): Promise<Halyard>;
}

/** A Halyard with the fake agent, whose hooks remember what they are told. */
async function openScene(options: HalyardOptions = {}): Promise<Scene> {
  const cwd = await temporaryDirectory();
  const home = await temporaryDirectory();
  const told: HookPayload[] = [];
  const problems: string[] = [];
  const again = async (): Promise<Halyard> => {
    const halyard = await createHalyard({
      home,
      env: {},
      adapters: [fakeAdapter()],
      hooks: [(payload) => void told.push(HookPayload.parse(payload))],
      onHookProblem: (text) => problems.push(text),
      ...options,
    });
    onTestFinished(() => halyard[Symbol.asyncDispose]());
    return halyard;
  };
  return { halyard: await again(), cwd, told, problems, again };
}

const gasTown = {
  GT_RIG: "greenplace",
  GT_ROLE: "polecat",
  GT_BEAD: "gp-123",
  BD_ACTOR: "greenplace/polecats/ivy",
};

test("a session's life is told in the payload of seed 001", async () => {
  const { halyard, cwd, told } = await openScene();
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
  expect(told).toMatchObject([
    { ...common, event: "SessionStart", data: { seq, ...started } },
    { ...common, event: "OnMessage", data: { seq, turn_id, role: "user", message: "say hello" } },
    { ...common, event: "OnMessage", data: { seq, turn_id, role: "assistant", message: "hello" } },
    { ...common, event: "OnMessage", data: { role: "user", message: "fail out of cheese" } },
    { ...common, event: "OnError", data: { code: "agent_failed", message: "out of cheese" } },
    { ...common, event: "SessionStop", data: { reason: "all done", state: "stopped" } },
  ]);
  const keys = "event runtime session_id workdir rig role bead actor timestamp data".split(" ");
  for (const payload of told) expect(Object.keys(payload)).toEqual(keys);
});

test("what is not known of a session is null", async () => {
  const { halyard, cwd, told } = await openScene();
  await using session = await halyard.start({ runtime: "fake", cwd });
  await session.ready();
  await halyard[Symbol.asyncDispose]();
  expect(told[0]).toMatchObject({ rig: null, role: null, bead: null, actor: null });
});

test("who resumes a session goes on telling where the first ended, and nothing twice [s1.open.hook-origin]", async () => {
  const { halyard, cwd, told, again } = await openScene();
  const session = await halyard.start({ runtime: "fake", cwd, env: gasTown });
  await session.send("say one").outcome;
  await halyard[Symbol.asyncDispose]();

  const later = await again();
  const resumed = await later.resume(session.id);
  expect(await later.resume(session.id)).toBe(resumed);
  await resumed.send("say two").outcome;
  await later[Symbol.asyncDispose]();

  expect(told.map(({ event, data }) => data.message ?? event)).toEqual([
    ...["SessionStart", "say one", "one", "SessionStop"],
    ...["SessionStart", "say two", "two", "SessionStop"],
  ]);
  const places = told.map(({ session_id, event, data }) => `${session_id} ${event} ${data.seq}`);
  expect(new Set(places).size).toBe(places.length);
  expect(told.every(({ rig }) => rig === "greenplace")).toBe(true);
});

test("a session that is left running is not told to have stopped", async () => {
  const { halyard, cwd, told, again } = await openScene({ onDispose: "detach" });
  const session = await halyard.start({ runtime: "fake", cwd });
  await session.send("say one").outcome;
  await halyard[Symbol.asyncDispose]();
  expect(told.map(({ event }) => event)).toEqual(["SessionStart", "OnMessage", "OnMessage"]);

  const later = await again();
  const attached = await later.resume(session.id);
  await attached.send("say two").outcome;
  await attached.stop();
  await later[Symbol.asyncDispose]();
  expect(told.slice(3).map(({ event, data }) => data.message ?? data.opened ?? event)).toEqual([
    ...["attached", "say two", "two", "SessionStop"],
  ]);
});

test("no turn waits for a hook", async () => {
  const told = createDeferred<void>();
  const { halyard, cwd } = await openScene({ hooks: [() => told.promise] });
  const session = await halyard.start({ runtime: "fake", cwd });
  expect(await session.send("say hello").outcome).toMatchObject({ status: "completed" });
  told.resolve();
  await halyard[Symbol.asyncDispose]();
});

test("a hook that fails is told of the next thing, and somebody hears of it", async () => {
  const heard: string[] = [];
  const moody = async ({ event }: HookPayload) => {
    heard.push(event);
    if (event === "SessionStart") throw new Error("not today");
  };
  const { halyard, cwd, problems } = await openScene({ hooks: [moody] });
  const session = await halyard.start({ runtime: "fake", cwd });
  await session.ready();
  await halyard[Symbol.asyncDispose]();
  expect(heard).toEqual(["SessionStart", "SessionStop"]);
  expect(problems).toEqual([`hook moody was not told of SessionStart in ${session.id}: not today`]);
});

test("a session that is removed is told to have stopped", async () => {
  const { halyard, cwd, told } = await openScene();
  const session = await halyard.start({ runtime: "fake", cwd });
  await session.ready();
  await halyard.remove(session.id);
  expect(await halyard.find(session.id)).toBeUndefined();
  await halyard[Symbol.asyncDispose]();
  expect(told.map(({ event, data }) => data.reason ?? event)).toEqual(["SessionStart", "removed"]);
});

test("a hook is told only of the events it names", async () => {
  const hooks = [{ file: "told.jsonl", events: ["SessionStop" as const] }];
  const { halyard, cwd } = await openScene({ hooks });
  const session = await halyard.start({ runtime: "fake", cwd });
  await session.send("say hello").outcome;
  await halyard[Symbol.asyncDispose]();
  const lines = (await readFile(join(cwd, "told.jsonl"), "utf8")).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(["SessionStop"]);
});

test("a session that could not be started is told as an error and its end, and one that never took messages too", async () => {
  const broken = {
    ...fakeAdapter(),
    name: "broken",
    connect: () => Promise.reject(new HalyardError("start_failed", "no luck")),
  };
  const { halyard, cwd, told } = await openScene({ adapters: [fakeAdapter(), broken] });
  await expect(halyard.start({ runtime: "broken", cwd, env: gasTown })).rejects.toThrow("no luck");
  const options = { startup: "stderr no key; die 9" };
  const dying = await halyard.start({ runtime: "fake", cwd, options });
  await expect(dying.ready()).rejects.toMatchObject({ code: "agent_exited" });
  await halyard[Symbol.asyncDispose]();
  expect(told.map(({ runtime, event, data }) => [runtime, event, data.code ?? data.state])).toEqual(
    [
      ["broken", "OnError", "start_failed"],
      ["broken", "SessionStop", "failed"],
      ["fake", "OnError", "agent_exited"],
      ["fake", "SessionStop", "failed"],
    ],
  );
  expect(told[0]).toMatchObject({ rig: "greenplace", data: { message: "no luck" } });
});

test("a session that nobody held is told of by whoever stops it", async () => {
  const { halyard, cwd, told, again } = await openScene({ onDispose: "detach" });
  const session = await halyard.start({ runtime: "fake", cwd });
  await session.ready();
  await halyard[Symbol.asyncDispose]();
  const later = await again();
  await later.stop(session.id, "enough");
  await later[Symbol.asyncDispose]();
  expect(told.map(({ data }) => data.opened ?? data.reason)).toEqual([
    ...["started", "attached", "enough"],
  ]);
});

test("a key that an agent says is not told to hooks", async () => {
  const { halyard, cwd, told } = await openScene();
  const env = { SOME_API_KEY: "planted-secret-42" };
  const session = await halyard.start({ runtime: "fake", cwd, env });
  await session.send("say the key is planted-secret-42").outcome;
  await session.send("fail planted-secret-42").outcome;
  await halyard[Symbol.asyncDispose]();
  expect(told).toHaveLength(6);
  expect(JSON.stringify(told)).not.toContain("planted-secret-42");
});
