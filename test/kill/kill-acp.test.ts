import { join } from "node:path";
import { expect, test } from "vitest";
import { createHalyard } from "../../src/create-halyard.ts";
import { collect } from "../../src/testing/halyard/fixture.ts";
import { startScriptedModel } from "../../src/testing/scripted-model.ts";
import { smallAgent } from "../acp/small-agent.ts";
import { killAfter, newPlace } from "./killed.ts";

const words = [...Array(200).keys()].join(" ");

test.each(["1", "2"])(
  "kill -9 of the process that runs an ACP agent of version %s: the turn goes on, and is found again",
  async (version) => {
    await using model = await startScriptedModel([
      { when: "Count.", replies: [{ text: words, chunkSize: 8, chunkDelayMs: 10 }] },
      { when: "What did I say?", replies: [{ text: "You said: Count." }] },
    ]);
    const { baseUrl, apiKey } = model.endpoint("openai-chat");
    const { home, cwd } = await newPlace();
    const own = {
      AGENT_VERSION: version,
      AGENT_STATE: join(home, "agent"),
      AGENT_MODEL_URL: baseUrl,
      AGENT_MODEL_KEY: apiKey,
    };
    const args = [home, cwd, JSON.stringify(smallAgent), JSON.stringify(own)];
    const { id, seen } = await killAfter(20, "acp-watcher.mjs", args);

    await using halyard = await createHalyard({ home, env: { PATH: process.env.PATH } });
    const session = await halyard.resume(id);
    expect(session.opened).toBe("attached");
    expect(await session.send("What did I say?").outcome).toMatchObject({ status: "completed" });
    await session.stop();
    const all = await collect(session.events());
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
    expect(all.map(({ seq }) => seq)).toEqual(expect.arrayContaining(seen));
    const deltas = all.flatMap((event) => (event.type === "delta" ? [event.text] : []));
    expect(deltas.join("")).toBe(`${words}You said: Count.`);
    const said = all.flatMap((event) => (event.type === "message" ? [event.text] : []));
    expect(said).toEqual([words, "You said: Count."]);
    expect(all.filter(({ type }) => type === "completion")).toHaveLength(2);
  },
);
