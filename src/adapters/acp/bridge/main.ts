/**
 * Connects to a remote ACP agent: forwards lines from standard input to a WebSocket, and the received frames to
 * standard output. Like a local agent, this program is a process of the session, so that its recorded output survives a
 * crash of Halyard. The argument is the agent's address. `ACP_TOKEN` contains the agent's token.
 */
import { createInterface } from "node:readline";
import { WebSocket } from "ws";
import { Bridge } from "./bridge.ts";

const [url = ""] = process.argv.slice(2);
const token = process.env.ACP_TOKEN;

const bridge = new Bridge({
  connect: () =>
    new WebSocket(url, {
      perMessageDeflate: false,
      maxPayload: 64 * 1024 * 1024,
      headers: token ? { authorization: `Bearer ${token}` } : {},
    }),
  write: (line) => void process.stdout.write(`${line}\n`),
  fail: (reason) => {
    process.stderr.write(`${url}: ${reason}\n`);
    process.exit(1);
  },
});
createInterface({ input: process.stdin })
  .on("line", (line) => bridge.send(line))
  .on("close", () => process.exit(0));
