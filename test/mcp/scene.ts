import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { createMcpHandler, McpServer, ProtocolError } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { onTestFinished } from "vitest";
import { createConfigReader } from "../../src/config/reader.ts";
import type { Adapter } from "../../src/contracts/adapter.ts";
import type { Halyard } from "../../src/contracts/halyard.ts";
import { createHalyard } from "../../src/create-halyard.ts";
import { serveMcp } from "../../src/mcp/serve.ts";
import { Projects } from "../../src/projects/projects.ts";
import type { PermissionPolicy } from "../../src/schema/permission.ts";
import { fakeAdapter } from "../../src/testing/fake/index.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

/** A minimal MCP client, and the server's Halyard instance. */
export interface Scene {
  readonly root: string;
  readonly halyard: Halyard;
  request(method: string, params?: object): Promise<Record<string, unknown>>;
  /** Calls a tool and returns its result or its error. */
  call(name: string, input?: object): Promise<Record<string, unknown>>;
}

export async function openScene(
  permissions: PermissionPolicy = "allow-all",
  { answers = false, adapters = [fakeAdapter()] }: { answers?: boolean; adapters?: Adapter[] } = {},
): Promise<Scene> {
  const root = await temporaryDirectory();
  const home = join(root, "home");
  const config = createConfigReader({ env: {}, home });
  const halyard = await createHalyard({ home, env: {}, adapters, config });
  const projects = new Projects({ env: {}, home, root, now: () => new Date() });
  const directory = root;
  const now = () => new Date();
  const context = { halyard: async () => halyard, projects, permissions, answers, directory, now };
  const input = new PassThrough();
  const output = new PassThrough();
  const sdk = { McpServer, createMcpHandler, ProtocolError, serveStdio, StdioServerTransport };
  const serving = serveMcp(sdk, context, { input, output, version: "1.2.3" });
  onTestFinished(async () => {
    input.end();
    await serving;
    await halyard[Symbol.asyncDispose]();
  });

  const waiting = new Map<number, (answer: Record<string, unknown>) => void>();
  createInterface({ input: output }).on("line", (line) => {
    const answer = JSON.parse(line);
    waiting.get(answer.id)?.(answer);
  });
  let last = 0;
  const request = async (method: string, params: object = {}) => {
    const id = ++last;
    const answered = new Promise<Record<string, unknown>>((resolve) => waiting.set(id, resolve));
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return answered;
  };
  await request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "0" },
  });
  input.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  const call = async (name: string, args: object = {}) => {
    const answer = await request("tools/call", { name, arguments: args });
    const { result, error } = answer as { result?: ToolResult; error?: object };
    if (!result) return { error };
    return result.structuredContent ?? JSON.parse(result.content[0]?.text ?? "");
  };
  return { root, halyard, request, call };
}

interface ToolResult {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
}
