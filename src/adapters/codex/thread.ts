import { z } from "zod";
import type { ConnectRequest, Settings } from "../../core/adapter.ts";
import { HalyardError } from "../../core/error.ts";
import { CodexOptions } from "../../schema/runtime-options.ts";
import { toMcpSettings } from "./mcp-servers.ts";
import { efforts } from "./model.ts";
import { threadPolicy } from "./policy.ts";

/** What Codex answers when a thread is started or resumed. */
export const ThreadAnswer = z.looseObject({
  thread: z.looseObject({ id: z.string() }),
  model: z.string().default(""),
  collaborationMode: z.looseObject({ mode: z.string() }).nullish(),
});
type ThreadAnswer = z.infer<typeof ThreadAnswer>;

/** How a thread is to be run, from its start or from now on. */
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

/** Settings for this session alone. */
function sessionConfig({ config, mcpServers }: GivenOptions): Record<string, unknown> {
  if (Object.keys(mcpServers).length === 0) return config;
  const own = z.record(z.string(), z.unknown()).safeParse(config.mcp_servers).data;
  return { ...config, mcp_servers: { ...own, ...toMcpSettings(mcpServers) } };
}

/** The mode a thread has to be put into; undefined where it is in it, for it keeps to it, also when it is resumed. */
export function modeChange(
  { plan, reasoning }: ConnectRequest,
  { model, collaborationMode }: ThreadAnswer,
): Record<string, unknown> | undefined {
  const effort = reasoning === undefined ? null : efforts[reasoning];
  const change = toMode(plan, { model, reasoning_effort: effort });
  if ((collaborationMode?.mode ?? "default") === change.mode) return undefined;
  return { collaborationMode: change };
}

/** What changes for the turns from now on. `model` is the thread's own: a mode is never without one. */
export function settingsChange(
  settings: Settings,
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

export function readOptions({ options }: Pick<ConnectRequest, "options">): GivenOptions {
  const { data, error } = CodexOptions.safeParse(options);
  if (data) return data;
  throw new HalyardError("invalid_input", `options for codex: ${z.prettifyError(error)}`);
}
