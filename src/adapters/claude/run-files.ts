import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withoutInherited } from "../../core/mcp-servers.ts";
import { isSecretName } from "../../core/secret-names.ts";
import type { McpServers } from "../../schema/mcp-server.ts";

/** What a Claude Code process needs beside its command line, in the session's run directory. */
export interface RunFiles {
  readonly settings: string;
  /** Read by the shell before every command that Claude runs. */
  readonly shell: string;
  /** MCP servers, which may come with keys. */
  readonly mcp: string;
  /** What Claude's hook reports when the session ends. */
  readonly end: string;
  /** For what Claude would leave in the system's. */
  readonly temporary: string;
}

export function runFilesIn(runDir: string): RunFiles {
  return {
    settings: join(runDir, "claude-settings.json"),
    shell: join(runDir, "claude-shell.sh"),
    mcp: join(runDir, "claude-mcp.json"),
    end: join(runDir, "claude-end.json"),
    temporary: join(runDir, "tmp"),
  };
}

/** How Claude is told of its MCP servers: by a file, for command lines are for everybody to read. */
export function mcpArguments(files: RunFiles, servers: McpServers): string[] {
  return Object.keys(servers).length > 0 ? ["--mcp-config", files.mcp] : [];
}

export interface RunFileContents {
  readonly settings: Readonly<Record<string, unknown>>;
  /** Variables that commands are not to see. */
  readonly hidden: readonly string[];
  readonly mcpServers: McpServers;
  /** More of them, in Claude's own words. */
  readonly otherServers?: Readonly<Record<string, unknown>>;
}

export async function writeRunFiles(
  files: RunFiles,
  { settings, hidden, mcpServers, otherServers }: RunFileContents,
): Promise<void> {
  const ours = withoutInherited(mcpServers, hidden.filter(isSecretName));
  const servers = { mcpServers: { ...otherServers, ...ours } };
  const mode = 0o600;
  await Promise.all([
    mkdir(files.temporary, { recursive: true, mode: 0o700 }),
    writeFile(files.settings, JSON.stringify(settings, undefined, 2), { mode }),
    writeFile(files.mcp, JSON.stringify(servers), { mode }),
    writeFile(files.shell, `unset ${hidden.join(" ")}\n`, { mode }),
  ]);
}

/** Reads the permission rules that a session was started with, also if another process started it. */
export async function readPermissions(runDir: string): Promise<unknown> {
  const settings: unknown = JSON.parse(await readFile(runFilesIn(runDir).settings, "utf8"));
  return typeof settings === "object" && settings !== null && "permissions" in settings
    ? settings.permissions
    : undefined;
}
