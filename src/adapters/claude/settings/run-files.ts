import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withoutInherited } from "../../../adapter-kit/mcp-servers.ts";
import { isSecretName } from "../../../log/redaction/secret-names.ts";
import type { McpServers } from "../../../schema/mcp-server.ts";

/** The paths of a Claude Code process's files in the session's run directory. */
export interface RunFiles {
  readonly settings: string;
  /** A script that the shell reads before every command that Claude runs. */
  readonly shell: string;
  /** The file with the MCP servers, which may contain keys. */
  readonly mcp: string;
  /** The file with the SessionEnd hook's message. */
  readonly end: string;
  /** Claude's temporary directory. */
  readonly temporary: string;
}

/** Returns the paths of the files in a run directory. */
export function runFilesIn(runDir: string): RunFiles {
  return {
    settings: join(runDir, "claude-settings.json"),
    shell: join(runDir, "claude-shell.sh"),
    mcp: join(runDir, "claude-mcp.json"),
    end: join(runDir, "claude-end.json"),
    temporary: join(runDir, "tmp"),
  };
}

/**
 * Returns the arguments that pass the MCP servers in a file, because command lines are visible to all users of the
 * machine. Returns none if there are no servers.
 */
export function mcpArguments(files: RunFiles, servers: McpServers): string[] {
  return Object.keys(servers).length > 0 ? ["--mcp-config", files.mcp] : [];
}

/** The content of the run files. */
export interface RunFileContents {
  readonly settings: Readonly<Record<string, unknown>>;
  /** The names of the variables to hide from commands. */
  readonly hidden: readonly string[];
  readonly mcpServers: McpServers;
  /** Additional MCP servers, in Claude's format. */
  readonly otherServers?: Readonly<Record<string, unknown>>;
}

/** Writes the files, readable only by the user. */
export async function writeRunFiles(
  files: RunFiles,
  { settings, hidden, mcpServers, otherServers }: RunFileContents,
): Promise<void> {
  const ownServers = withoutInherited(mcpServers, hidden.filter(isSecretName));
  const servers = { mcpServers: { ...otherServers, ...ownServers } };
  const mode = 0o600;
  await Promise.all([
    mkdir(files.temporary, { recursive: true, mode: 0o700 }),
    writeFile(files.settings, JSON.stringify(settings, undefined, 2), { mode }),
    writeFile(files.mcp, JSON.stringify(servers), { mode }),
    writeFile(files.shell, `unset ${hidden.join(" ")}\n`, { mode }),
  ]);
}

/** Reads the permission rules from the session's settings file. */
export async function readPermissions(runDir: string): Promise<unknown> {
  const settings: unknown = JSON.parse(await readFile(runFilesIn(runDir).settings, "utf8"));
  return typeof settings === "object" && settings !== null && "permissions" in settings
    ? settings.permissions
    : undefined;
}
