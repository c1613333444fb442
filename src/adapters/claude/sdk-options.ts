import type { ConnectRequest } from "../../core/adapter.ts";
import { parseInput } from "../../core/parse-input.ts";
import { CcsdkOptions } from "../../schema/runtime-options.ts";
import { claudeOptions, type GivenOptions } from "./options.ts";

/** What only Claude Code and its SDK understand of a session's options. */
export interface SessionSdkOptions {
  readonly claude: GivenOptions;
  /** The rest of `ccsdkOptions`, which the SDK gets as it is. */
  readonly sdk: Readonly<Record<string, unknown>>;
  readonly disallowedTools: readonly string[];
  readonly extraArgs: Readonly<Record<string, string | null>>;
  /** MCP servers that are objects of this process. */
  readonly liveServers: Readonly<Record<string, unknown>>;
  /** The others that came in the SDK's words. */
  readonly otherServers: Readonly<Record<string, unknown>>;
}

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

/** Claude Code's own instructions, unless others were given, with those of the session after them. */
export function sdkSystemPrompt(given: unknown, append: string | undefined): unknown {
  const added = append === undefined ? {} : { append };
  if (given === undefined) return { type: "preset", preset: "claude_code", ...added };
  if (append === undefined) return given;
  if (typeof given === "string") return `${given}\n\n${append}`;
  return typeof given === "object" && given !== null ? { ...given, ...added } : given;
}
