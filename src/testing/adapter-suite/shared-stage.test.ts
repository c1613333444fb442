import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { smallAgentAdapter } from "../../../test/acp/small-agent.ts";
import { createLocalHost } from "../../hosts/local/index.ts";
import { assistantTexts } from "./conversation.ts";
import { SharedStageCache } from "./shared-stage.ts";

test("returns the same stage until it is dropped, and then creates another one", async () => {
  await using kept = new SharedStageCache({
    createAdapter: smallAgentAdapter,
    createHost: createLocalHost,
    apis: ["openai-chat"],
    tools: {
      write: (path, content) => ({ name: "write", input: { path, content } }),
      shell: (command) => ({ name: "shell", input: { command } }),
    },
  });
  const first = await kept.get();
  expect(await kept.get()).toBe(first);
  const asking = await first.asking();
  expect(await first.asking()).toBe(asking);
  await kept.drop();
  await expect(readdir(first.directory)).rejects.toMatchObject({ code: "ENOENT" });
  expect(first.survivors()).toEqual([]);

  const second = await kept.get();
  second.model.on("greet", { text: "Hello." });
  expect(assistantTexts((await second.conversation.turn("greet me")).drafts)).toEqual(["Hello."]);
});
