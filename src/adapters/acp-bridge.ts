import { fileURLToPath } from "node:url";

/**
 * The program that connects a session to a remote ACP agent: it reads and writes like a local agent, and forwards the
 * messages over a WebSocket. The path is relative to this file and is also valid in the bundle of the command line.
 */
export const acpBridge = fileURLToPath(
  new URL("../../dist/adapters/acp/bridge/main.js", import.meta.url),
);
