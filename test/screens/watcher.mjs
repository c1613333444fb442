/**
 * Runs a turn on a screen and prints the `seq` of every event that it receives, until it is killed.
 * Arguments: home, the directory of the runtimes, and the environment and the request as JSON.
 */
import { claudeAdapter } from "../../dist/adapters/claude/index.js";
import { codexAdapter } from "../../dist/adapters/codex/index.js";
import { createHalyard } from "../../dist/index.js";

const [home = "", runtimesDir = "", environment = "", request = ""] = process.argv.slice(2);
const env = JSON.parse(environment);
const adapters = [claudeAdapter, codexAdapter].map((create) => create({ env, runtimesDir }));
const halyard = await createHalyard({ home, env, adapters });
const session = await halyard.start(JSON.parse(request));
process.stdout.write(`${session.id}\n`);
for await (const { seq } of session.send("count to ten")) process.stdout.write(`${seq}\n`);
