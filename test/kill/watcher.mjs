/**
 * Runs a turn on the fake runtime and prints the `seq` of every event that it receives, until it is killed.
 * Arguments: home, working directory, prompt.
 */
import { createHalyard } from "../../dist/index.js";
import { fakeAdapter } from "../../dist/testing/fake/index.js";

const [home = "", cwd = "", prompt = ""] = process.argv.slice(2);
const halyard = await createHalyard({ home, env: {}, adapters: [fakeAdapter()] });
const session = await halyard.start({ runtime: "fake", cwd, permissions: "allow-all" });
process.stdout.write(`${session.id}\n`);
for await (const { seq } of session.send(prompt)) process.stdout.write(`${seq}\n`);
