import type { ConnectRequest } from "../../../contracts/adapter.ts";
import { parseInput } from "../../../errors/parse-input.ts";
import { CcsdkOptions } from "../../../schema/runtimes/runtime-options.ts";
import { claudeOptions, type GivenOptions } from "../options.ts";

/** The session options for Claude Code and its SDK. */
export interface SessionSdkOptions {
  readonly claude: GivenOptions;
  /** The other `ccsdkOptions`, passed to the SDK unchanged. */
  readonly sdk: Readonly<Record<string, unknown>>;
  readonly disallowedTools: readonly string[];
  readonly extraArgs: Readonly<Record<string, string | null>>;
  /** MCP servers that are objects in this process. */
  readonly liveServers: Readonly<Record<string, unknown>>;
  /** The other MCP servers, in the SDK's format. */
  readonly otherServers: Readonly<Record<string, unknown>>;
}

/** Validates a session's options. Throws `invalid_input` if they do not match the schema. */
export function sdkOptions(request: Pick<ConnectRequest, "options">): SessionSdkOptions {
  const given = parseInput(CcsdkOptions, request.options);
  const { hooksEnabled = true, settings, ...more } = given.ccsdkOptions;
  const { disallowedTools = [], extraArgs = {}, mcpServers = {}, ...sdk } = more;
  const claude = claudeOptions(request);
  const all = { ...claude.settings, ...settings, ...(!hooksEnabled && { disableAllHooks: true }) };
  const servers = Object.entries(mcpServers);
  return {
    claude: { ...claude, settings: all },
    sdk,
    disallowedTools,
    extraArgs,
    liveServers: Object.fromEntries(servers.filter(isLive)),
    otherServers: Object.fromEntries(servers.filter((server) => !isLive(server))),
  };
}

function isLive([, server]: [string, unknown]): boolean {
  return typeof server === "object" && server !== null && "type" in server && server.type === "sdk";
}

/** Returns the system prompt: the given prompt or Claude Code's own, followed by the session's instructions. */
export function sdkSystemPrompt(given: unknown, append: string | undefined): unknown {
  const added = append === undefined ? {} : { append };
  if (given === undefined) return { type: "preset", preset: "claude_code", ...added };
  if (append === undefined) return given;
  if (typeof given === "string") return `${given}\n\n${append}`;
  return typeof given === "object" && given !== null ? { ...given, ...added } : given;
}
