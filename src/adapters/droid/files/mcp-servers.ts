import { readFile, writeFile } from "node:fs/promises";
import { parse } from "jsonc-parser";
import { z } from "zod";
import type { McpServers } from "../../../schema/mcp-server.ts";
import { linkFactoryFile } from "./factory-files.ts";

export interface McpFiles {
  /** The file to write. It is in the run directory, so that its keys are deleted with the session. */
  readonly file: string;
  /** Droid's home, which receives a link to the file. */
  readonly home: string;
  /** The user's own file, if the home links to it. Its servers are added to the session's servers. */
  readonly userFile?: string | undefined;
}

/** Writes a session's MCP servers for Droid. Does nothing if the session has none. */
export async function writeMcpServers(
  servers: McpServers,
  { file, home, userFile }: McpFiles,
): Promise<void> {
  if (Object.keys(servers).length === 0) return;
  const { mcpServers, ...rest } = await settingsIn(userFile);
  const ours = Object.entries(servers).map(([name, server]) => [name, toServer(server)]);
  const all = { ...rest, mcpServers: { ...mcpServers, ...Object.fromEntries(ours) } };
  await writeFile(file, JSON.stringify(all, undefined, 2), { mode: 0o600 });
  linkFactoryFile(home, "mcp.json", file);
}

const Settings = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).default({}) });

async function settingsIn(file: string | undefined): Promise<z.infer<typeof Settings>> {
  const text = file === undefined ? "{}" : await readFile(file, "utf8").catch(() => "{}");
  const settings: unknown = parse(text);
  return Settings.safeParse(settings).data ?? { mcpServers: {} };
}

function toServer(server: McpServers[string]): Record<string, unknown> {
  return { type: "stdio", ...server, disabled: false };
}
