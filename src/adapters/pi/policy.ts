import type { ConnectRequest } from "../../contracts/adapter.ts";
import { thinkingLevels } from "./model/model.ts";
import { planTools, type ToolPaths } from "./plan-tools.ts";

/** A session's permissions, instructions, reasoning level and model. They can change between two turns. */
export interface Rules {
  /** True if every tool call requires an answer. */
  readonly asks: boolean;
  /** The only enabled tools in a planning session. Undefined in any other session. */
  readonly only?: readonly string[];
  readonly disabled: readonly string[];
  readonly instructions: readonly string[];
  readonly thinking?: (typeof thinkingLevels)[keyof typeof thinkingLevels];
  /** The current model, if it differs from the first model. */
  readonly model?: ModelName;
}

/** A model from one of Pi's providers. */
export interface ModelName {
  readonly provider: string;
  readonly id: string;
}

/** The parts of a request that determine the rules. */
export type RulesRequest = Pick<
  ConnectRequest,
  "permissions" | "plan" | "tools" | "systemPrompt" | "reasoning"
>;

/** Returns the rules for a request. In a planning session, they limit the tools to read-only tools. */
export async function rulesFor(
  request: RulesRequest,
  paths: ToolPaths,
  model?: ModelName,
): Promise<Rules> {
  const { permissions, plan, tools: { disabled = [] } = {}, reasoning } = request;
  const enabled = enabledTools(request);
  const only = plan ? await planTools(paths) : undefined;
  const allowed = only?.filter((name) => enabled?.includes(name) ?? !disabled.includes(name));
  return {
    asks: permissions !== "allow-all",
    ...(allowed && { only: allowed }),
    disabled,
    instructions: addedInstructions(request),
    ...(reasoning && { thinking: thinkingLevels[reasoning] }),
    ...(model && { model }),
  };
}

/** Returns the tools that the request enables, or undefined if it does not limit them. */
export function enabledTools({ tools = {} }: Pick<ConnectRequest, "tools">): string[] | undefined {
  const { enabled, disabled = [] } = tools;
  return enabled?.filter((name) => !disabled.includes(name));
}

/** Returns the texts that are appended to Pi's own system prompt. */
function addedInstructions(request: {
  readonly plan: boolean;
  readonly systemPrompt?: string | undefined;
}): string[] {
  const { plan, systemPrompt } = request;
  return [...(systemPrompt === undefined ? [] : [systemPrompt]), ...(plan ? [PLAN] : [])];
}

const PLAN =
  "Plan only. Read whatever helps, change nothing, and answer with a plan: what to do, " +
  "in which files, in which order, and how to tell that it worked.";
