import { join } from "node:path";
import { createMcpHandler, McpServer, ProtocolError } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { onTestFinished } from "vitest";
import type { Halyard } from "../../src/contracts/halyard.ts";
import { createHalyard } from "../../src/create-halyard.ts";
import { McpEndpoint } from "../../src/mcp/http.ts";
import { Projects } from "../../src/projects/projects.ts";
import { BODY_BYTES } from "../../src/schema/constants.ts";
import type { PermissionPolicy } from "../../src/schema/permission.ts";
import { createServer } from "../../src/server/index.ts";
import { fakeAdapter } from "../../src/testing/fake/index.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

export const TOKEN = "a-token-nobody-guesses";

/** A server with MCP at `/mcp`. */
export interface HttpScene {
  readonly root: string;
  readonly halyard: Halyard;
  readonly url: string;
  readonly token: string;
  readonly faults: unknown[];
}

export async function openHttp(
  permissions: PermissionPolicy = "ask",
  { answers = true } = {},
): Promise<HttpScene> {
  const root = await temporaryDirectory();
  const home = join(root, "home");
  const now = () => new Date();
  const adapters = [fakeAdapter()];
  const halyard = await createHalyard({ home, env: {}, adapters, defaultRuntime: "fake" });
  const projects = new Projects({ env: {}, home, root, now });
  const sdk = { McpServer, createMcpHandler, ProtocolError, serveStdio, StdioServerTransport };
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => void faults.push(fault);
  const endpoint = new McpEndpoint(
    sdk,
    { halyard: async () => halyard, projects, permissions, answers, directory: root, now },
    { version: "1.2.3", maxBytes: BODY_BYTES, onFault },
  );
  const fetch = (request: Request) => endpoint.fetch(request);
  const endpoints = [{ path: "/mcp", fetch } as const];
  const server = createServer(halyard, { token: TOKEN, onFault, endpoints });
  const listener = await server.listen({ port: 0 });
  onTestFinished(async () => {
    await endpoint.close();
    await listener.close();
    await halyard[Symbol.asyncDispose]();
  });
  return { root, halyard, url: `${listener.url}/mcp`, token: TOKEN, faults };
}
