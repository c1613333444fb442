import { effectiveSettings } from "../../config/effective-settings.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import type { DaemonEndpoint } from "../../daemon/run.ts";
import { reasonOf } from "../../errors/error.ts";
import type { McpEndpoint } from "../../mcp/http.ts";
import { BODY_BYTES } from "../../schema/constants.ts";
import type { PermissionPolicy } from "../../schema/permission.ts";
import type { DaemonHosts } from "../host/daemon-hosts.ts";
import { findMcpSdk } from "../install/mcp-sdk.ts";
import { openProjects } from "../project/open-projects.ts";
import { loadSessionConfig } from "../trust/session-config.ts";
import { type EndpointOptions, lazyEndpoint } from "./lazy-endpoint.ts";

/** The permissions of a daemon's MCP clients. */
export interface McpPolicy {
  /** The policy for sessions that clients start. Defaults to the policy in the settings, or to `ask`. */
  readonly permissions?: PermissionPolicy | undefined;
  /** True if clients may answer requests in sessions that they started. Defaults to false. */
  readonly answers?: boolean | undefined;
}

export interface McpEndpointOptions extends EndpointOptions {
  readonly mcp: McpPolicy;
  /** The remote machines whose sessions are listed together with this machine's. */
  readonly hosts: DaemonHosts;
}

/** Creates the daemon's `/mcp` endpoint. Loads the MCP SDK when the first request arrives. */
export function mcpEndpoint(halyard: Halyard, options: McpEndpointOptions): DaemonEndpoint {
  return lazyEndpoint("/mcp", () => load(halyard, options));
}

async function load(
  halyard: Halyard,
  { console, version, log, hosts, mcp: { permissions, answers = false } }: McpEndpointOptions,
): Promise<McpEndpoint> {
  const directory = process.cwd();
  const [sdk, { McpEndpoint }, config] = await Promise.all([
    findMcpSdk(console),
    import("../../mcp/http.ts"),
    loadSessionConfig({ cwd: directory }, console),
  ]);
  const context = {
    halyard: () => hosts.join(halyard),
    unreachable: hosts.unreachable,
    projects: openProjects(console),
    permissions: permissions ?? effectiveSettings(config).permissions ?? "ask",
    answers,
    directory,
    now: () => new Date(),
  };
  const onFault = (error: unknown) => log(`mcp: ${reasonOf(error)}`);
  return new McpEndpoint(sdk, context, { version, maxBytes: BODY_BYTES, onFault });
}
