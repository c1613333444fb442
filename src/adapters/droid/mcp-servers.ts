import { readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import { z } from "zod";
import type { McpServers } from "../../schema/mcp-server.ts";

export interface McpFiles {
  /** To be written: in the run directory, for what it holds is to be gone with the session. */
  readonly file: string;
  /** Droid's home, which shows it, and beside the session's servers the user's where it shows those. */
  readonly home: string;
}

/** Gives a session's MCP servers to Droid, with those that its home shows already. */
export async function writeMcpServers(
  servers: McpServers,
  { file, home }: McpFiles,
): Promise<void> {
  if (Object.keys(servers).length === 0) return;
  const place = join(home, ".factory", "mcp.json");
  const { mcpServers, ...rest } = await settingsIn(place);
  const ours = Object.entries(servers).map(([name, server]) => [name, toServer(server)]);
  const all = { ...rest, mcpServers: { ...mcpServers, ...Object.fromEntries(ours) } };
  await writeFile(file, JSON.stringify(all, undefined, 2), { mode: 0o600 });
  await rm(place, { force: true }); // the link to the user's own
  await symlink(file, place);
}

const Settings = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).default({}) });

async function settingsIn(file: string): Promise<z.infer<typeof Settings>> {
  const settings: unknown = parse(await readFile(file, "utf8").catch(() => "{}"));
  return Settings.safeParse(settings).data ?? { mcpServers: {} };
}

function toServer(server: McpServers[string]): Record<string, unknown> {
  return { type: "stdio", ...server, disabled: false };
}
