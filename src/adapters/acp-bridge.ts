import { fileURLToPath } from "node:url";

/**
 * The path of the program that connects a session to a remote ACP agent. The program behaves like a local agent and
 * forwards the messages over a WebSocket. The path is derived from the location of this file, and is also correct in
 * the command-line bundle.
 */
export const acpBridge = fileURLToPath(
  new URL("../../dist/adapters/acp/bridge/main.js", import.meta.url),
);
