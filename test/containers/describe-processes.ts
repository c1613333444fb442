import { describe, expect, test } from "vitest";
import { piToolCalls } from "../../src/adapters/pi/events/tool-calls.ts";
import { createHalyard } from "../../src/create-halyard.ts";
import { setUpAgents } from "./describe-agents.ts";
import type { EngineUnderTest } from "./use-engine.ts";

/** Tests that processes in containers are listed and killed from outside, with the real Pi. */
export function describeProcesses(engine: EngineUnderTest): void {
  const setUp = async () => {
    const all = await setUpAgents(engine);
    const toolCalls = [piToolCalls.shell("sleep 1000 >/dev/null 2>&1 &")];
    all.model.on("work", { toolCalls }, { text: "Done." });
    const model = all.model.endpoint("openai-chat");
    return { ...all, request: { ...all.start, runtime: "pi", model } as const };
  };

  describe(`processes in ${engine.runtime.name} containers`, { timeout: 120_000 }, () => {
    test("lists processes with their session and their container, until the session stops", async () => {
      const { home, env, request, containers } = await setUp();
      await using halyard = await createHalyard({ home, env });
      const [one, two] = [await halyard.start(request), await halyard.start(request)];
      for (const session of [one, two]) await session.send("work").outcome;
      const [container] = await containers();
      const listed = await halyard.processes();
      for (const { id, info } of [one, two]) {
        const where = { host: "container", container: container?.name, sessionId: id };
        const theirs = listed.filter(({ sessionId }) => sessionId === id);
        expect(theirs).toContainEqual({
          ...where,
          pid: info.pid,
          isLeftOver: false,
          command: expect.stringMatching(/\bpi\b/),
        });
        expect(theirs.map(({ command }) => command)).toContain("sleep 1000");
      }
      expect(await halyard.reap()).toEqual([]);
      await one.stop();
      const ids = (await halyard.processes()).map(({ sessionId }) => sessionId);
      expect([...new Set(ids)]).toEqual([two.id]);
      await two.stop();
      expect(await halyard.processes()).toEqual([]);
    });

    test("kills the processes of a session that the store does not contain, and removes its container", async () => {
      const { home, env, request, containers } = await setUp();
      const first = await createHalyard({ home, env, onDispose: "detach" });
      const session = await first.start(request);
      await session.send("work").outcome;
      await first[Symbol.asyncDispose]();
      // The store of this instance contains no session.
      await using halyard = await createHalyard({ home, env, store: "memory" });
      const left = await halyard.processes();
      expect(left.map(({ command }) => command)).toContain("sleep 1000");
      for (const info of left) expect(info).toMatchObject({ host: "container", isLeftOver: true });
      expect(await halyard.reap()).toEqual(left);
      expect(await halyard.processes()).toEqual([]);
      expect(await containers()).toEqual([]);
    });
  });
}
