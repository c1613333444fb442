import { describe, expect, test } from "vitest";
import { killAfter } from "../../../test/kill/killed.ts";
import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import { openStage, type ScreenRuntime } from "../../../test/screens/stage.ts";
import { collect } from "../../testing/halyard/fixture.ts";
import { repliesIn } from "../../testing/replies.ts";

const numbers = "one two three four five six seven eight nine ten eleven twelve";

describe.each<ScreenRuntime>(["claude", "codex"])(
  "kill -9 of the process that drives %s on a screen",
  (name) => {
    test("does not end the turn, which the next process completes without losing an event", async () => {
      const { home, env, model, endpoint, request, open } = await openStage(name);
      model.on("count", { text: numbers, chunkSize: 4, chunkDelayMs: 150 });
      model.on("greet", { text: "Hello." });
      const requestJson = JSON.stringify({ ...request, permissions: "allow-all" });
      const args = [home, runtimesDir, JSON.stringify(env), requestJson];
      const { id, seen } = await killAfter(4, "../screens/watcher.mjs", args);

      const halyard = await open();
      expect(await halyard.find(id)).toMatchObject({ state: "detached", host: "tmux" });
      const before = await collect(halyard.events(id, { follow: false }));
      expect(before.map(({ seq }) => seq)).toEqual(expect.arrayContaining(seen));
      const session = await halyard.resume(id, { model: endpoint });
      expect(session.opened).toBe("attached");
      const next = session.send("greet me");
      expect(await next.outcome).toMatchObject({ status: "completed", text: "Hello." });
      await session.stop();

      const all = await collect(session.events());
      expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
      expect(all.slice(0, before.length)).toEqual(before);
      const ends = all.flatMap((event) => (event.type === "completion" ? [event.outcome] : []));
      expect(ends).toMatchObject([
        { status: "completed", text: numbers },
        { status: "completed", text: "Hello." },
      ]);
      const replies = repliesIn(all);
      expect(replies).toEqual([numbers, "Hello."]);
    });
  },
);

test("delivers a message once or reports it as not delivered if kill -9 interrupts the typing", async () => {
  const { home, env, model, endpoint, request, open } = await openStage("claude");
  model.on("count", { text: numbers });
  model.on("greet", { text: "Hello." });
  const requestJson = JSON.stringify({ ...request, permissions: "allow-all" });
  const args = [home, runtimesDir, JSON.stringify(env), requestJson];
  const { id } = await killAfter(2, "../screens/watcher.mjs", args);

  const halyard = await open();
  const session = await halyard.resume(id, { model: endpoint });
  const next = session.send("greet me");
  expect(await next.outcome).toMatchObject({ status: "completed", text: "Hello." });
  await session.stop();
  const all = await collect(session.events());
  const [first] = all.flatMap((event) => (event.type === "completion" ? [event.outcome] : []));
  const received = model.requests
    .at(-1)
    ?.messages.filter(({ text }) => text.includes("count to ten"));
  if (first?.status === "failed") {
    expect(first.error?.code).toBe("delivery_failed");
    expect(received).toEqual([]);
  } else {
    expect(first).toMatchObject({ status: "completed", text: numbers });
    expect(received).toHaveLength(1);
  }
});
