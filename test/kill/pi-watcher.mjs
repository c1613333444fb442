/**
 * Runs a turn on Pi and prints the `seq` of every event that it receives, until it is killed.
 * Arguments: home, working directory, the model's endpoint as JSON, `detached` or not.
 */
import { createHalyard } from "../../dist/index.js";

const [home = "", cwd = "", model = "", mode = ""] = process.argv.slice(2);
const env = { PATH: process.env.PATH, HOME: home };
const halyard = await createHalyard({ home, env, detached: mode === "detached" });
const session = await halyard.start({ cwd, permissions: "allow-all", model: JSON.parse(model) });
process.stdout.write(`${session.id}\n`);
for await (const { seq } of session.send("Count.")) process.stdout.write(`${seq}\n`);
