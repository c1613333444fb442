// Starts a session of the fake agent through Gas Town's interface, prints its handle, and keeps it open until the end of stdin.
import { join } from "node:path";
import { createAgentRuntime } from "../../dist/compat/gas-town/index.js";
import { fakeAdapter } from "../../dist/testing/fake/index.js";

const [directory = ""] = process.argv.slice(2);
const { PATH } = process.env;
const create = {
  home: join(directory, "own"),
  env: {},
  adapters: [fakeAdapter({ env: { PATH } })],
};
const runtime = createAgentRuntime({ create });
const workDir = join(directory, "work");
console.log(JSON.stringify(await runtime.start({ workDir, runtimeName: "fake" })));
for await (const _ of process.stdin);
await runtime[Symbol.asyncDispose]();
