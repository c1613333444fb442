import { effectiveSettings } from "../../config/effective-settings.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import { requireSession } from "../../halyard/find-session.ts";
import { serveLog, serveMcp } from "../../mcp/serve.ts";
import type { PermissionPolicy } from "../../schema/permission.ts";
import { openConsole, warn } from "../console/console.ts";
import { ensureMcpSdk } from "../install/mcp-sdk.ts";
import { openDaemon } from "../open-daemon.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { openHalyard } from "../open-halyard.ts";
import { openProjects } from "../project/open-projects.ts";
import { loadSessionConfig } from "../trust/session-config.ts";
import { readVersion } from "../version.ts";

export interface McpOptions {
  readonly permissions?: PermissionPolicy;
  readonly daemon: boolean;
  readonly answers?: boolean;
  readonly install?: boolean;
  readonly log?: string;
}

export async function mcp(options: McpOptions): Promise<number> {
  const { daemon, permissions, answers = false, install = false } = options;
  const console = openConsole();
  const { input } = console;
  const sdk = await ensureMcpSdk(console);
  if (install) return 0;
  const streams = { input, output: process.stdout, version: readVersion() };
  if (options.log !== undefined) {
    await using halyard = await openDaemonOrLocal(console);
    const { id } = await requireSession(halyard, options.log);
    await serveLog(sdk, id, { ...streams, halyard: async () => halyard });
    return 0;
  }
  const config = await loadSessionConfig({ cwd: process.cwd() }, console);
  const settings = effectiveSettings(config);
  await warn(console, [...(config.warnings ?? []), ...settings.warnings]);
  let opened: Promise<Halyard> | undefined;
  const unreachable = new Map<string, string>();
  const hosts = {
    hosts: true,
    retries: true,
    onUnreachable: (host: string, reason: string) => void unreachable.set(host, reason),
    onReached: (host: string) => void unreachable.delete(host),
  };
  const context = {
    halyard: () => {
      opened ??= daemon ? openDaemon(console, hosts) : openHalyard(console, { isReachable: true });
      return opened;
    },
    unreachable,
    projects: openProjects(console),
    permissions: permissions ?? settings.permissions ?? "ask",
    answers,
    directory: process.cwd(),
    now: () => new Date(),
  };
  await serveMcp(sdk, context, streams);
  await (await opened)?.[Symbol.asyncDispose]();
  return 0;
}
