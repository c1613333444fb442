import { describe, expect, test } from "vitest";
import { createHalyard } from "../../src/create-halyard.ts";
import { collect } from "../../src/testing/halyard/fixture.ts";
import { expectWhole, killAfter, newKillPaths, numbers, startCounting } from "./killed.ts";

describe("kill -9 of the process that runs Pi", () => {
  test("marks a session as lost if Pi ran in the process, and keeps its events [s4.pi.in-process]", async () => {
    await using model = await startCounting();
    const endpoint = model.endpoint("openai-chat");
    const { home, cwd } = await newKillPaths();
    const args = [home, cwd, JSON.stringify(endpoint), ""];
    const { id, seen } = await killAfter(20, "pi-watcher.mjs", args);

    const env = { PATH: process.env.PATH, HOME: home };
    await using halyard = await createHalyard({ home, env });
    expect(await halyard.find(id)).toMatchObject({ state: "lost", error: { code: "lost" } });
    const events = await collect(halyard.events(id));
    expect(events.map(({ seq }) => seq)).toEqual(expect.arrayContaining(seen));
    expect(events.filter(({ type }) => type === "completion")).toMatchObject([
      { outcome: { status: "failed", error: { code: "lost" } } },
    ]);
  });

  test("does not end Pi's turn if Pi is a separate process, and a later process attaches without loss or duplicates", async () => {
    await using model = await startCounting();
    const endpoint = model.endpoint("openai-chat");
    const { home, cwd } = await newKillPaths();
    const args = [home, cwd, JSON.stringify(endpoint), "detached"];
    const { id, seen } = await killAfter(20, "pi-watcher.mjs", args);

    const env = { PATH: process.env.PATH, HOME: home };
    await using halyard = await createHalyard({ home, env, detached: true });
    expect(await halyard.find(id)).toMatchObject({ state: "detached" });
    const session = await halyard.resume(id, { model: endpoint });
    expect(session.opened).toBe("attached");
    expect(await session.send("What did I say?").outcome).toMatchObject({
      status: "completed",
      text: "You said: Count.",
    });
    await session.stop();
    const said = [numbers, "You said: Count."];
    expectWhole(await collect(session.events()), { seen, said, turns: 2 });
  });
});
