// Runs one turn of a conversation on the fake agent in this process, and prints the result's meta.
import { join } from "node:path";
import { createAgentRuntime } from "../../dist/compat/openclaw/index.js";
import { fakeAdapter } from "../../dist/testing/fake/index.js";

const [directory = "", sessionId = "", sessionKey = "", name = ""] = process.argv.slice(2);
const { PATH } = process.env;
const create = {
  home: join(directory, "own"),
  env: {},
  adapters: [fakeAdapter({ env: { PATH } })],
};
const runtime = await createAgentRuntime({}, "main", "fake", { create });
const log = join(directory, "log");
const { meta } = await runtime.run({
  sessionId,
  sessionKey,
  sessionFile: join(directory, `${name}.jsonl`),
  workspaceDir: join(directory, "work"),
  prompt: `sh echo begin >> ${log}; sh sleep 0.3; sh echo end >> ${log}`,
  provider: "somebody",
  model: "some-model",
});
console.log(JSON.stringify(meta));
