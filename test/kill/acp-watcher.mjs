/**
 * Runs a turn on an ACP agent and prints the `seq` of every event that it receives, until it is killed.
 * Arguments: home, working directory, the agent's command line and its environment as JSON.
 */
import { createHalyard } from "../../dist/index.js";

const [home = "", cwd = "", command = "", own = ""] = process.argv.slice(2);
const env = { PATH: process.env.PATH, ...JSON.parse(own) };
const halyard = await createHalyard({ home, env });
const options = { command: JSON.parse(command), passEnv: ["AGENT_*"] };
const session = await halyard.start({ runtime: "acp", cwd, permissions: "allow-all", options });
process.stdout.write(`${session.id}\n`);
for await (const { seq } of session.send("Count.")) process.stdout.write(`${seq}\n`);
