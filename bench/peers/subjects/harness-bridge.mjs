import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inPackages } from "../packages.mjs";

const program = fileURLToPath(new URL("./harness-bridge-process.mjs", import.meta.url));
const load = (/** @type {string[]} */ ...path) =>
  import(pathToFileURL(inPackages("harness", ...path)).href);

/**
 * Opens only the bridge and the channel of the AI SDK's harness, with a minimal client instead of its ACP adapter. Users cannot
 * run this setup; it shows the cost of the layers below the adapter.
 * @type {import("./subject.mjs").OpenSubject}
 */
export async function open({ root, agent }) {
  const { SandboxChannel } = await load("@ai-sdk", "harness", "dist", "utils", "index.js");
  const { WebSocket } = await load("ws", "wrapper.mjs");
  const { z } = await load("zod", "index.js");
  const token = "bench";
  const bridge = fork(program, [root, token, ...agent], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [port] = await once(bridge, "message");
  const channel = new SandboxChannel({
    connect: async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/?agent_bridge_token=${token}`);
      await once(socket, "open");
      return socket;
    },
    outboundSchema: z.looseObject({ type: z.string() }),
  });
  await channel.open();
  /** @type {(text: string) => void} */
  let receive = () => {};
  let end = () => {};
  channel.on("text-delta", (/** @type {{ delta: string }} */ { delta }) => receive(delta));
  channel.on("finish", () => end());
  return {
    async run(prompt, onText) {
      receive = onText;
      const over = new Promise((resolve) => {
        end = () => resolve(undefined);
      });
      channel.send({ type: "start", prompt });
      await over;
    },
    async close() {
      const exit = once(bridge, "exit");
      channel.beginClose();
      channel.send({ type: "destroy" });
      await exit;
    },
  };
}
