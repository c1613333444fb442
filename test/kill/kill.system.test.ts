import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createHalyard } from "../../src/create-halyard.ts";
import { healthOfProcess } from "../../src/hosts/local/process-identity.ts";
import type { SessionId } from "../../src/schema/id.ts";
import { fakeAdapter } from "../../src/testing/fake/index.ts";
import { collect } from "../../src/testing/halyard/fixture.ts";
import { expectWhole, killAfter, newKillPaths } from "./killed.ts";

/** Kills the agent of a session and waits for its exit. */
async function killAgent(home: string, id: SessionId): Promise<void> {
  const record = await readFile(join(home, "run", id, "process.json"), "utf8");
  const { identity } = JSON.parse(record);
  process.kill(identity.pid, "SIGKILL");
  while (healthOfProcess(identity) === "alive") await setImmediate();
}

describe("kill -9 of the process that runs a session", () => {
  test.each([1, 2, 40, 700])(
    "loses none of the %i events that were received before, and the turn continues",
    async (events) => {
      const { home, cwd } = await newKillPaths();
      const prompt = "stream 2000; wait; say the end";
      const { id, seen } = await killAfter(events, "watcher.mjs", [home, cwd, prompt]);

      await using halyard = await createHalyard({ home, env: {}, adapters: [fakeAdapter()] });
      expect(await halyard.find(id)).toMatchObject({ state: "detached" });
      const before = await collect(halyard.events(id, { follow: false }));
      expect(before.length).toBeGreaterThanOrEqual(seen.length);
      expect(before.map(({ seq }) => seq)).toEqual(expect.arrayContaining(seen));

      const session = await halyard.resume(id);
      expect(session.opened).toBe("attached");
      const steering = session.send("say steered", { delivery: "steer" });
      expect(await steering.outcome).toMatchObject({ status: "completed" });
      await session.stop();
      const all = await collect(session.events());
      expect(all.slice(0, before.length)).toEqual(before);
      const said = [[...Array(2000).keys()].join(" "), "the end", "steered"];
      expectWhole(all, { seen, said, turns: 1 });
    },
  );

  test("marks the session as lost if the agent is killed too, and it can be resumed", async () => {
    const { home, cwd } = await newKillPaths();
    const prompt = "say before; hang shell";
    const { id } = await killAfter(4, "watcher.mjs", [home, cwd, prompt]);
    await killAgent(home, id);

    await using halyard = await createHalyard({ home, env: {}, adapters: [fakeAdapter()] });
    expect(await halyard.find(id)).toMatchObject({ state: "lost", error: { code: "lost" } });
    const events = await collect(halyard.events(id));
    expect(events.filter(({ type }) => type === "completion")).toHaveLength(1);
    expect(events.filter(({ type }) => type === "tool_call").length).toBe(
      events.filter(({ type }) => type === "tool_result").length,
    );
    const resumed = await halyard.resume(id);
    expect(await resumed.send("recall").outcome).toMatchObject({ text: prompt });
  });
});
