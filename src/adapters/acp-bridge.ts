import { fileURLToPath } from "node:url";

/**
 * The program that connects a session to a remote ACP agent. It behaves like a local agent and forwards the messages
 * over a WebSocket. The path is relative to this file and is also valid in the command-line bundle.
 */
export const acpBridge = fileURLToPath(
  new URL("../../dist/adapters/acp/bridge/main.js", import.meta.url),
);
