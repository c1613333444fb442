// @ts-nocheck: this agent imitates third-party JavaScript
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const { AGENT_MODEL_URL, AGENT_MODEL_KEY, ...env } = process.env;

/** Returns a function for each tool of the MCP servers, by name. Calls `onFailure` for a server that fails. */
export async function toolsOf(servers, onFailure) {
  const tools = new Map();
  for (const server of servers) {
    try {
      const ask = server.url ? overHttp(server) : await program(server);
      const clientInfo = { name: "small-agent", version: "1.2.3" };
      await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
      for (const { name } of (await ask("tools/list", {})).tools)
        tools.set(`${server.name}_${name}`, async (input) => {
          const { content } = await ask("tools/call", { name, arguments: input });
          return content.map(({ text }) => text).join("");
        });
    } catch (error) {
      onFailure(`MCP server ${server.name}: ${error.message}`);
    }
  }
  return tools;
}

async function program({ command, args, env: pairs }) {
  const child = spawn(command, args, {
    env: { ...env, ...valuesOf(pairs) },
    stdio: ["pipe", "pipe", "ignore"],
  });
  await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, result } = JSON.parse(line);
    waiting.get(id)?.(result);
  });
  return (method, params) =>
    new Promise((resolve) => {
      const id = waiting.size;
      waiting.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
}

function overHttp({ url, headers }) {
  return async (method, params) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...valuesOf(headers) },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return (await response.json()).result;
  };
}

const valuesOf = (pairs) => Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
