import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { inPackages } from "../packages.mjs";
import { pieceOf } from "./subject.mjs";

const platform = `${process.platform}-${process.arch}`;
const program = inPackages(
  "sandbox-agent",
  "@sandbox-agent",
  `cli-${platform}`,
  "bin",
  "sandbox-agent",
);

/**
 * Starts the server of sandbox-agent, whose events are read as server-sent events. The server runs only agents that it knows, so
 * the agent of the benchmark has the name `opencode`.
 * @type {import("./subject.mjs").OpenSubject}
 */
export async function open({ root, agent }, readers = 1) {
  const bin = join(root, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "opencode"), `#!/bin/sh\nexec ${agent.join(" ")}\n`);
  await chmod(join(bin, "opencode"), 0o755);
  const port = await freePort();
  const args = ["server", "--no-token", "--no-telemetry", "--port", String(port)];
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: root };
  const server = spawn(program, args, { cwd: root, env, stdio: "ignore" });
  const url = `http://127.0.0.1:${port}/v1/acp/bench`;
  await reachable(`http://127.0.0.1:${port}/v1/health`);
  let last = 0;
  const ask = async (/** @type {string} */ method, /** @type {object} */ params, query = "") => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++last, method, params });
    const answer = await fetch(url + query, { method: "POST", headers, body });
    if (!answer.ok) throw new Error(await answer.text());
    return /** @type {any} */ (await answer.json()).result;
  };
  await ask("initialize", { protocolVersion: 1, clientCapabilities: {} }, "?agent=opencode");
  const { sessionId } = await ask("session/new", { cwd: root, mcpServers: [] });
  /** @type {(text: string, reader?: number) => void} */
  let receive = () => {};
  const read = (/** @type {unknown} */ _, /** @type {number} */ reader) =>
    openReader(url, (message) => {
      const text = pieceOf(message);
      if (text !== undefined) receive(text, reader);
    });
  const all = await Promise.all(Array.from({ length: readers }, read));
  return {
    async run(prompt, onText) {
      receive = onText;
      await ask("session/prompt", { sessionId, prompt: [{ type: "text", text: prompt }] });
    },
    pid: () => server.pid,
    async close() {
      for (const call of all) call.destroy();
      const exit = once(server, "exit");
      server.kill();
      await exit;
    },
  };
}

/**
 * @param {string} url
 * @param {(message: any) => void} receive
 */
async function openReader(url, receive) {
  const call = request(url, { agent: false, headers: { accept: "text/event-stream" } });
  call.on("error", () => {}); // the subject itself closed the connection
  call.end();
  const [answer] = await once(call, "response");
  answer.on("error", () => {});
  let rest = "";
  answer.setEncoding("utf8").on("data", (/** @type {string} */ chunk) => {
    const frames = (rest + chunk).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const at = frame.indexOf("data: ");
      if (at !== -1) receive(JSON.parse(frame.slice(at + 6)));
    }
  });
  return call;
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

/** @param {string} url */
async function reachable(url) {
  for (let left = 500; left > 0; left--) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer) return;
    await setTimeout(5);
  }
  throw new Error("The server of sandbox-agent did not start.");
}
