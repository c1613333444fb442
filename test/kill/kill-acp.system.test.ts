import { join } from "node:path";
import { expect, test } from "vitest";
import { createHalyard } from "../../src/create-halyard.ts";
import { collect } from "../../src/testing/halyard/fixture.ts";
import { smallAgent } from "../acp/small-agent.ts";
import { expectWhole, killAfter, newKillPaths, numbers, startCounting } from "./killed.ts";

test.each(["1", "2"])(
  "kill -9 of the process that runs a version %s ACP agent: the turn continues, and a later process attaches to it",
  async (version) => {
    await using model = await startCounting();
    const { baseUrl, apiKey } = model.endpoint("openai-chat");
    const { home, cwd } = await newKillPaths();
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
    const said = [numbers, "You said: Count."];
    expectWhole(await collect(session.events()), { seen, said, turns: 2 });
  },
);
