import { z } from "zod";
import type { ConnectRequest } from "../../core/adapter.ts";
import { HalyardError } from "../../core/error.ts";
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
      ...readOptions(request).config,
    },
  };
}

/** The mode a thread has to be put into; undefined where it is in it, for it keeps to it, also when it is resumed. */
export function modeChange(
  { plan, reasoning }: ConnectRequest,
  { model, collaborationMode }: ThreadAnswer,
): Record<string, unknown> | undefined {
  const mode = plan ? "plan" : "default";
  if ((collaborationMode?.mode ?? "default") === mode) return undefined;
  const effort = reasoning === undefined ? null : efforts[reasoning];
  const settings = { model, reasoning_effort: effort, developer_instructions: null };
  return { collaborationMode: { mode, settings } };
}

const CodexOptions = z.object({
  /** The program, if it is not to be looked for. */
  bin: z.string().min(1).optional(),
  /** Settings of Codex's own, such as `mcp_servers`, for this session. */
  config: z.record(z.string(), z.unknown()).default({}),
});
type CodexOptions = z.infer<typeof CodexOptions>;

export function readOptions({ options }: Pick<ConnectRequest, "options">): CodexOptions {
  const { data, error } = CodexOptions.safeParse(options);
  if (data) return data;
  throw new HalyardError("invalid_input", `options for codex: ${z.prettifyError(error)}`);
}
