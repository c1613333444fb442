import type { ConnectRequest } from "../../core/adapter.ts";
import { addedInstructions } from "./instructions.ts";
import { thinkingLevels } from "./model.ts";
import { planTools, type Where } from "./plan-tools.ts";

/** What a session of Pi's may do and is told; it may become another between two turns. */
export interface Rules {
  /** Whether every tool has to wait for an answer. */
  readonly asks: boolean;
  /** The only tools there are while it plans. */
  readonly only?: readonly string[];
  readonly disabled: readonly string[];
  readonly instructions: readonly string[];
  readonly thinking?: (typeof thinkingLevels)[keyof typeof thinkingLevels];
  /** Another model than the one it was started with. */
  readonly model?: ModelName;
}

export interface ModelName {
  readonly provider: string;
  readonly id: string;
}

export type Ruled = Pick<
  ConnectRequest,
  "permissions" | "plan" | "tools" | "systemPrompt" | "reasoning"
>;

export async function rulesFor(request: Ruled, where: Where, model?: ModelName): Promise<Rules> {
  const { permissions, plan, tools: { disabled = [] } = {}, reasoning } = request;
  const enabled = enabledTools(request);
  const only = plan ? await planTools(where) : undefined;
  const left = only?.filter((name) => enabled?.includes(name) ?? !disabled.includes(name));
  return {
    asks: permissions !== "allow-all",
    ...(left && { only: left }),
    disabled,
    instructions: addedInstructions(request),
    ...(reasoning && { thinking: thinkingLevels[reasoning] }),
    ...(model && { model }),
  };
}

/** The only tools that the session will ever have, where there is a limit. */
export function enabledTools({ tools = {} }: Pick<ConnectRequest, "tools">): string[] | undefined {
  const { enabled, disabled = [] } = tools;
  return enabled?.filter((name) => !disabled.includes(name));
}
