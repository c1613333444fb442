/**
 * Runs a turn in a container and prints the `seq` of every event that it receives, until it is killed.
 * Arguments: home, the environment and the request as JSON.
 */
import { createHalyard } from "../../dist/index.js";

const [home = "", env = "", request = ""] = process.argv.slice(2);
const halyard = await createHalyard({ home, env: JSON.parse(env) });
const session = await halyard.start(JSON.parse(request));
process.stdout.write(`${session.id}\n`);
for await (const { seq } of session.send("Count.")) process.stdout.write(`${seq}\n`);
