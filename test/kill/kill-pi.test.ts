import { describe, expect, test } from "vitest";
import { createHalyard } from "../../src/create-halyard.ts";
import { collect } from "../../src/testing/halyard/fixture.ts";
import { startScriptedModel } from "../../src/testing/scripted-model.ts";
import { killAfter, newPlace } from "./killed.ts";

const words = [...Array(200).keys()].join(" ");

/** A model that takes its time to count. */
function startCounting() {
  return startScriptedModel([
    { when: "Count.", replies: [{ text: words, chunkSize: 8, chunkDelayMs: 10 }] },
    { when: "What did I say?", replies: [{ text: "You said: Count." }] },
  ]);
}

describe("kill -9 of the process that runs Pi", () => {
  test("inside it: the session is lost and said so, and what was seen is kept [s4.pi.in-process]", async () => {
    await using model = await startCounting();
    const endpoint = model.endpoint("openai-chat");
    const { home, cwd } = await newPlace();
    const args = [home, cwd, JSON.stringify(endpoint), ""];
    const { id, seen } = await killAfter(20, "pi-watcher.mjs", args);

    const env = { PATH: process.env.PATH, HOME: home };
    await using halyard = await createHalyard({ home, env });
    expect(await halyard.find(id)).toMatchObject({ state: "lost", error: { code: "lost" } });
    const events = await collect(halyard.events({ sessionId: id }));
    expect(events.map(({ seq }) => seq)).toEqual(expect.arrayContaining(seen));
    expect(events.filter(({ type }) => type === "completion")).toMatchObject([
      { outcome: { status: "failed", error: { code: "lost" } } },
    ]);
  });

  test("beside it: the turn goes on, and is found again with nothing lost or doubled", async () => {
    await using model = await startCounting();
    const endpoint = model.endpoint("openai-chat");
    const { home, cwd } = await newPlace();
    const args = [home, cwd, JSON.stringify(endpoint), "outlive"];
    const { id, seen } = await killAfter(20, "pi-watcher.mjs", args);

    const env = { PATH: process.env.PATH, HOME: home };
    await using halyard = await createHalyard({ home, env, outlive: true });
    expect(await halyard.find(id)).toMatchObject({ state: "detached" });
    const session = await halyard.resume(id, { model: endpoint });
    expect(session.opened).toBe("attached");
    expect(await session.send("What did I say?").outcome).toMatchObject({
      status: "completed",
      text: "You said: Count.",
    });
    await session.stop();
    const all = await collect(session.events());
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
    expect(all.map(({ seq }) => seq)).toEqual(expect.arrayContaining(seen));
    const deltas = all.flatMap((event) => (event.type === "delta" ? [event.text] : []));
    expect(deltas.join("")).toBe(`${words}You said: Count.`);
    const said = all.flatMap((event) => (event.type === "message" ? [event.text] : []));
    expect(said).toEqual([words, "You said: Count."]);
    expect(all.filter(({ type }) => type === "completion")).toHaveLength(2);
  });
});
