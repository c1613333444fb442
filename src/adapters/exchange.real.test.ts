import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test as base, expect } from "vitest";
import { createScene, pidOf } from "../../test/real/scene.ts";
import type { StreamEvent } from "../schema/event.ts";
import { collect } from "../testing/halyard/fixture.ts";
import { droidToolCalls } from "./droid/events/tool-calls.ts";
import { droidAdapter } from "./droid/index.ts";
import { opencodeAdapter } from "./opencode/index.ts";

type Name = "droid" | "opencode";

const shell = {
  droid: droidToolCalls.shell,
  opencode: (command: string) => ({ name: "bash", input: { command, description: "run it" } }),
};

/**
 * Creates a Halyard instance with both runtimes. Requests differ only in the runtime's name. One OpenCode session stays
 * open, so that the OpenCode server starts only once.
 */
async function open() {
  const scene = await createScene((paths) => [droidAdapter(paths), opencodeAdapter(paths)]);
  const { halyard, cwd } = scene;
  const endpoint = scene.model.endpoint("openai-chat");
  const request = { cwd, permissions: "allow-all", model: endpoint } as const;
  const start = (runtime: Name) => halyard.start({ ...request, runtime });
  await start("opencode");
  return { ...scene, endpoint, start };
}

const test = base.extend<{ shared: Awaited<ReturnType<typeof open>> }>({
  shared: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the required fixtures from this pattern
    async ({}, use) => {
      await using shared = await open();
      await use(shared);
    },
    { scope: "file" },
  ],
});

/** Returns a turn's events without ids, times and names that differ between runtimes. */
function outline(events: readonly StreamEvent[]): unknown[] {
  return events.flatMap((event): unknown[] => {
    switch (event.type) {
      case "message":
        return event.role === "user" ? ["user"] : [[event.role, event.channel, event.text]];
      case "tool_call":
        return [["call", event.kind]];
      case "tool_result":
        return [["result", event.isError, event.exitCode]];
      case "completion":
        return [[event.outcome.status, event.outcome.stopReason, event.outcome.text]];
      default:
        return [];
    }
  });
}

test("droid and opencode produce the same events for the same request [s2.goal.interchangeable]", async ({
  shared,
}) => {
  const { model, start } = shared;
  const received: unknown[] = [];
  for (const runtime of ["droid", "opencode"] as const) {
    const call = shell[runtime]("echo oops; exit 3");
    model.on(`try-${runtime}`, { toolCalls: [call] }, { text: "It failed." });
    const session = await start(runtime);
    received.push(outline(await collect(session.send(`try-${runtime}`))));
    await session.stop();
  }
  expect(received[0]).toEqual(received[1]);
  expect(received[0]).toEqual([
    "user",
    ["call", "execute"],
    ["result", true, 3],
    ["assistant", "text", "It failed."],
    ["completed", "end_turn", "It failed."],
  ]);
});

test("sessions behave the same with one process each and with a shared server [s2.constraint.session-paradigms]", async ({
  shared,
}) => {
  const { model, start } = shared;
  model.on("greet", { text: "Hello." });
  for (const [runtime, processes] of [
    ["droid", 2],
    ["opencode", 1],
  ] as const) {
    const sessions = await Promise.all([start(runtime), start(runtime)]);
    expect(new Set(await Promise.all(sessions.map(pidOf))).size).toBe(processes);
    for (const session of sessions)
      expect(await session.send("greet me").outcome).toMatchObject({ text: "Hello." });
    await Promise.all(sessions.map((session) => session.stop()));
  }
});

test("records the runtime's session id and resumes the runtime's session with it", async ({
  shared,
}) => {
  const { home, halyard, model, endpoint, start } = shared;
  model.on("BANANA", { text: "I will remember." });
  model.on("which fruit", { text: "A banana." });
  for (const runtime of ["droid", "opencode"] as const) {
    const session = await start(runtime);
    await session.send("remember BANANA").outcome;
    await session.stop();
    const { runtimeSessionId = "" } = (await halyard.find(session.id)) ?? {};
    const files = await readdir(join(home, "halyard"), { recursive: true });
    if (runtime === "opencode") expect(runtimeSessionId).toMatch(/^ses_/);
    else expect(files.some((file) => file.endsWith(`/${runtimeSessionId}.jsonl`))).toBe(true);

    const resumed = await halyard.resume(session.id, { model: endpoint });
    expect(resumed.opened).toBe("resumed");
    expect(await resumed.send("which fruit was it?").outcome).toMatchObject({ text: "A banana." });
    const observed = model.requests.at(-1)?.messages.map(({ text }) => text);
    expect(observed).toContainEqual(expect.stringContaining("remember BANANA"));
    expect(resumed.info.runtimeSessionId).toBe(runtimeSessionId);
    await resumed.stop();
  }
});

test("delivers a message while the runtime streams output [s2.constraint.two-way-streaming]", async ({
  shared,
}) => {
  const { cwd, model, start } = shared;
  model.on("LEFT", { text: "To the left, then." });
  for (const runtime of ["droid", "opencode"] as const) {
    const call = shell[runtime](`until [ -e go-${runtime} ]; do sleep 0.02; done`);
    model.on(`sing-${runtime}`, { text: "La la.", toolCalls: [call] }, { text: "Nobody came." });
    const session = await start(runtime);
    const turn = session.send(`sing-${runtime}`);
    for await (const event of turn) if (event.type === "tool_call") break;
    await session.send("now LEFT", { delivery: "steer" }).accepted;
    await writeFile(join(cwd, `go-${runtime}`), "");
    const events = await collect(turn);
    expect(events.filter(({ type }) => type === "delta").length).toBeGreaterThan(1);
    expect(events.at(-1)).toMatchObject({ outcome: { text: "To the left, then." } });
    await session.stop();
  }
});

test("reports a runtime's exit to the next caller that sends a message [s2.d5.next-operation]", async ({
  shared,
}) => {
  const { model, start } = shared;
  model.on("greet", { text: "Hello." });
  const session = await start("droid");
  process.kill(await pidOf(session), "SIGKILL");
  expect(await session.send("greet me").outcome).toMatchObject({
    status: "failed",
    error: { code: expect.stringMatching(/^(agent_exited|session_stopped)$/) },
  });
});
