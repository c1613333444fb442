import { describe, expect, test } from "vitest";
import { createHalyard } from "../../src/create-halyard.ts";
import type { TurnId } from "../../src/schema/id.ts";
import { fakeAdapter } from "../../src/testing/fake/index.ts";
import { collect } from "../../src/testing/halyard/fixture.ts";
import { repliesIn } from "../../src/testing/replies.ts";
import { killAfter, newKillPaths } from "./killed.ts";

const second = () => ({ ...fakeAdapter(), name: "second" as const });

describe("kill -9 of the process that runs a session, while it delivers a message", () => {
  test("leaves no record of a message that the agent has not received, so it can be sent again", async () => {
    const { home, cwd } = await newKillPaths();
    const args = [home, cwd, "before", "say hello"];
    const { id } = await killAfter(Number.POSITIVE_INFINITY, "handing-over.mjs", args);

    await using halyard = await createHalyard({ home, env: {}, adapters: [fakeAdapter()] });
    expect(await halyard.find(id)).toMatchObject({ state: "detached", queue: [] });
    const session = await halyard.resume(id);
    expect(session.opened).toBe("attached");
    const turn = session.send("say hello");
    expect(await turn.outcome).toMatchObject({ status: "completed", text: "hello" });
    await session.stop();
    const events = await collect(session.events());
    const said = events.map((event) => (event.type === "system" ? event.subtype : event.type));
    for (const once of ["turn_started", "completion"])
      expect(said.filter((type) => type === once)).toHaveLength(1);
    expect(repliesIn(events)).toEqual(["hello"]);
  });

  test("does not resend a message that the agent was receiving, and the turn ends at its limit", async () => {
    const { home, cwd } = await newKillPaths();
    const args = [home, cwd, "during", "say hello"];
    const { id } = await killAfter(Number.POSITIVE_INFINITY, "handing-over.mjs", args);

    await using halyard = await createHalyard({ home, env: {}, adapters: [fakeAdapter()] });
    const found = await halyard.find(id);
    const session = await halyard.resume(id);
    const turn = session.send("", { id: found?.turn?.id as TurnId });
    expect(await turn.outcome).toMatchObject({ error: { phase: "first_output" } });
    await session.stop();
    expect(repliesIn(await collect(session.events()))).toEqual([]);
  });

  test("starts the session of a handoff that was recorded but not started", async () => {
    const { home, cwd } = await newKillPaths();
    const { id } = await killAfter(Number.POSITIVE_INFINITY, "handing-over.mjs", [
      ...[home, cwd, "limit", "limited 3600; say done"],
    ]);

    const adapters = [fakeAdapter(), second()];
    await using halyard = await createHalyard({ home, env: {}, adapters });
    const before = await halyard.find(id);
    const { sessionId = "" } = before?.pendingHandoff ?? {};
    expect(before).toMatchObject({ state: "detached", pendingHandoff: { runtime: "second" } });
    expect(await halyard.find(sessionId)).toBeUndefined();
    const session = await halyard.resume(id);
    await expect
      .poll(() => halyard.find(sessionId))
      .toMatchObject({ runtime: "second", handoff: { from: id } });
    await expect.poll(() => session.info.pendingHandoff).toBeUndefined();
    await expect.poll(async () => (await halyard.find(sessionId))?.turns).toBe(1);
    await halyard.stop(sessionId);
    await session.stop();
  });
});
