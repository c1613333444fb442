import { z } from "zod";
import type { ConnectionSettings, ConnectRequest } from "../../contracts/adapter.ts";
import { HalyardError } from "../../errors/error.ts";
import { parseInput } from "../../errors/parse-input.ts";
import type { McpServers } from "../../schema/mcp-server.ts";
import { CodexOptions } from "../../schema/runtimes/runtime-options.ts";
import { efforts } from "./model.ts";
import { threadPolicy } from "./policy.ts";

/** The response to a request that starts, resumes or forks a thread. */
export const ThreadResponse = z.looseObject({
  thread: z.looseObject({ id: z.string() }),
  model: z.string().default(""),
  collaborationMode: z.looseObject({ mode: z.string() }).nullish(),
});
type ThreadResponse = z.infer<typeof ThreadResponse>;

/** Returns the parameters for a request that starts, resumes or forks a thread. */
export function threadParams(request: ConnectRequest, provider: string): Record<string, unknown> {
  const { cwd, model, reasoning, systemPrompt } = request;
  return {
    cwd,
    modelProvider: provider,
    ...threadPolicy(request),
    ...(model?.id !== undefined && { model: model.id }),
    ...(systemPrompt !== undefined && { developerInstructions: systemPrompt }),
    config: {
      ...(reasoning !== undefined && { model_reasoning_effort: efforts[reasoning] }),
      ...sessionConfig(readOptions(request)),
    },
  };
}

/** Returns the session's Codex settings, including its MCP servers. */
function sessionConfig({ config, mcpServers }: GivenOptions): Record<string, unknown> {
  if (Object.keys(mcpServers).length === 0) return config;
  const own = z.record(z.string(), z.unknown()).safeParse(config.mcp_servers).data;
  return { ...config, mcp_servers: { ...own, ...toMcpSettings(mcpServers) } };
}

/** Maps a session's MCP servers to Codex's settings. Throws `unsupported` for SSE servers. */
function toMcpSettings(servers: McpServers): Record<string, unknown> {
  const settings = Object.entries(servers).map(([name, server]) => {
    if (!("url" in server)) return [name, server];
    const { type, url, headers } = server;
    if (type === "sse")
      throw new HalyardError(
        "unsupported",
        `Codex does not support MCP servers over SSE: ${name}. Use HTTP, or remove the server.`,
      );
    return [name, { url, http_headers: headers }];
  });
  return Object.fromEntries(settings);
}

/**
 * Returns the settings that change a thread to the session's mode, or undefined if the thread is already in this mode.
 * A thread keeps its mode on resume.
 */
export function modeChange(
  { plan, reasoning }: ConnectRequest,
  { model, collaborationMode }: ThreadResponse,
): Record<string, unknown> | undefined {
  const effort = reasoning === undefined ? null : efforts[reasoning];
  const change = toMode(plan, { model, reasoning_effort: effort });
  if ((collaborationMode?.mode ?? "default") === change.mode) return undefined;
  return { collaborationMode: change };
}

/** Returns the settings for later turns. `model` is the thread's model, which a mode requires. */
export function settingsChange(
  settings: ConnectionSettings,
  request: Pick<ConnectRequest, "permissions" | "plan" | "reasoning">,
  model: string,
): Record<string, unknown> {
  const { plan, reasoning } = request;
  const effort = reasoning === undefined ? null : efforts[reasoning];
  const { approvalPolicy, ...access } = threadPolicy(request);
  const allowed = "sandbox" in access ? { sandboxPolicy: { type: "dangerFullAccess" } } : access;
  const isPolicyChanged = (settings.permissions ?? settings.plan) !== undefined;
  return {
    ...(settings.model !== undefined && { model }),
    ...(settings.reasoning !== undefined && { effort }),
    ...(isPolicyChanged && { approvalPolicy, ...allowed }),
    ...(settings.plan !== undefined && {
      collaborationMode: toMode(plan, { model, reasoning_effort: effort }),
    }),
  };
}

function toMode(plan: boolean, settings: Record<string, unknown>) {
  const mode = plan ? "plan" : "default";
  return { mode, settings: { ...settings, developer_instructions: null } };
}

type GivenOptions = z.output<typeof CodexOptions>;

/** Validates a session's options. Throws `invalid_input` if they do not match the schema. */
export function readOptions({ options }: Pick<ConnectRequest, "options">): GivenOptions {
  return parseInput(CodexOptions, options);
}
