import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { mcpSdkPackage } from "../../adapters/versions.ts";
import type { McpSdk } from "../../mcp/sdk.ts";
import type { Console } from "../console/console.ts";
import { canImport } from "./can-import.ts";
import { install, installDirectory } from "./install.ts";

type Entries = readonly [server: string, stdio: string];

const { name } = mcpSdkPackage;
const packageEntries: Entries = [name, `${name}/stdio`];

/** Loads the MCP SDK. Installs it into the home if it is missing, because it is not a dependency of this package. */
export async function ensureMcpSdk(console: Console): Promise<McpSdk> {
  return load(
    ...((await canImport(...packageEntries)) ? packageEntries : await installEntries(console)),
  );
}

async function installEntries(console: Console): Promise<Entries> {
  await install("mcp", mcpSdkPackage, console);
  const dist = join(installDirectory("mcp", console), "node_modules", name, "dist");
  const urlOf = (file: string) => pathToFileURL(join(dist, file)).href;
  return [urlOf("index.mjs"), urlOf("stdio.mjs")];
}

async function load(server: string, stdio: string): Promise<McpSdk> {
  const { McpServer }: McpSdk = await import(server);
  const { serveStdio, StdioServerTransport }: McpSdk = await import(stdio);
  return { McpServer, serveStdio, StdioServerTransport };
}
