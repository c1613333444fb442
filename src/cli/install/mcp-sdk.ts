import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { mcpSdkPackage } from "../../adapters/versions.ts";
import type { McpSdk } from "../../mcp/sdk.ts";
import type { Terminal } from "../terminal.ts";
import { areBesideUs } from "./beside-us.ts";
import { install, installDirectory } from "./install.ts";

type Entries = readonly [server: string, stdio: string];

const { name } = mcpSdkPackage;
const besideUs: Entries = [name, `${name}/stdio`];

/** The SDK for MCP, fetched where it is not there yet: few need it, so it is no dependency of ours. */
export async function ensureMcpSdk(terminal: Terminal): Promise<McpSdk> {
  return load(...((await areBesideUs(...besideUs)) ? besideUs : await inHome(terminal)));
}

async function inHome(terminal: Terminal): Promise<Entries> {
  await install("mcp", mcpSdkPackage, terminal);
  const dist = join(installDirectory("mcp", terminal), "node_modules", name, "dist");
  const urlOf = (file: string) => pathToFileURL(join(dist, file)).href;
  return [urlOf("index.mjs"), urlOf("stdio.mjs")];
}

async function load(server: string, stdio: string): Promise<McpSdk> {
  const { McpServer }: McpSdk = await import(server);
  const { serveStdio, StdioServerTransport }: McpSdk = await import(stdio);
  return { McpServer, serveStdio, StdioServerTransport };
}
