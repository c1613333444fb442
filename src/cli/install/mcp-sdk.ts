import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { mcpSdkPackage } from "../../adapters/versions.ts";
import { HalyardError } from "../../errors/error.ts";
import type { McpSdk } from "../../mcp/sdk.ts";
import type { Console } from "../console/console.ts";
import { canImport } from "./can-import.ts";
import { install, installDirectory, isInstalled } from "./install.ts";

type Entries = readonly [server: string, stdio: string];

const { name } = mcpSdkPackage;
const packageEntries: Entries = [name, `${name}/stdio`];

/** Loads the MCP SDK, which is not a dependency of this package. Installs the SDK into the home if it is missing. */
export async function ensureMcpSdk(console: Console): Promise<McpSdk> {
  if (await canImport(...packageEntries)) return load(...packageEntries);
  await install("mcp", mcpSdkPackage, console);
  return load(...installedEntries(console));
}

/** Loads the MCP SDK. Rejects if the SDK is not installed, because a server does not install packages. */
export async function findMcpSdk(console: Console): Promise<McpSdk> {
  if (await canImport(...packageEntries)) return load(...packageEntries);
  if (await isInstalled("mcp", mcpSdkPackage, console)) return load(...installedEntries(console));
  throw new HalyardError(
    "runtime_unavailable",
    'The MCP package is not installed. Run "halyard mcp --install" on the daemon\'s machine.',
  );
}

function installedEntries(console: Console): Entries {
  const dist = join(installDirectory("mcp", console), "node_modules", name, "dist");
  const urlOf = (file: string) => pathToFileURL(join(dist, file)).href;
  return [urlOf("index.mjs"), urlOf("stdio.mjs")];
}

async function load(server: string, stdio: string): Promise<McpSdk> {
  const { McpServer, createMcpHandler, ProtocolError }: McpSdk = await import(server);
  const { serveStdio, StdioServerTransport }: McpSdk = await import(stdio);
  return { McpServer, createMcpHandler, ProtocolError, serveStdio, StdioServerTransport };
}
