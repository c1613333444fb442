/** The other end of `harness-bridge.mjs`: a bridge of the AI SDK's harness that runs the agent on pipes. */
import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import { inPackages } from "../packages.mjs";
import { DirectAgent } from "./direct.mjs";

const [, , root = "", token = "", ...agent] = process.argv;
const { runBridge } = await import(
  pathToFileURL(inPackages("harness", "@ai-sdk", "harness", "dist", "bridge", "index.js")).href
);
const [file = "", ...args] = agent;
const direct = new DirectAgent(
  spawn(file, args, { cwd: root, stdio: ["pipe", "pipe", "inherit"] }),
);
await direct.ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
const { sessionId } = await direct.ask("session/new", { cwd: root, mcpServers: [] });

await runBridge({
  bridgeType: "bench",
  bridgeStateDir: root,
  port: 0,
  token,
  onListening: (/** @type {number} */ port) => process.send?.(port),
  async onStart(
    /** @type {{ prompt: string }} */ { prompt },
    /** @type {{ emit(event: object): void }} */ turn,
  ) {
    await direct.prompt(sessionId, prompt, (delta) =>
      turn.emit({ type: "text-delta", id: "1", delta }),
    );
    turn.emit({ type: "finish" });
  },
  onDestroy: () => direct.close(),
});
