/** An MCP server with a tool, which leaves its key at MARK_FILE once it is asked for its tools. */
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { MARK_FILE = "", MARK_KEY = "" } = process.env;
const serverInfo = { name: "marker", version: "1" };
const tools = [{ name: "mark", description: "marks", inputSchema: { type: "object" } }];

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  if (method === "tools/list") writeFileSync(MARK_FILE, MARK_KEY);
  const { protocolVersion } = params ?? {};
  const greeting = { protocolVersion, capabilities: { tools: {} }, serverInfo };
  const result = method === "initialize" ? greeting : method === "tools/list" ? { tools } : {};
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}
