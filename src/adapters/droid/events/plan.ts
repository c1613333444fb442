import { z } from "zod";
import type { Answer } from "../../../schema/permission.ts";
import type { ServerRequest, ToolUse } from "../messages.ts";
import { CANCEL } from "../requests/answers.ts";

const PlanInput = z.looseObject({ plan: z.string() });

/** The tool with which the model submits its plan and requests to leave Droid's spec mode. */
const SUBMIT_PLAN = "ExitSpecMode";

/** Returns the plan that a tool call submits, or undefined if the call does not submit a plan. */
export function planOf({ name, input }: ToolUse): string | undefined {
  return name === SUBMIT_PLAN ? PlanInput.safeParse(input).data?.plan : undefined;
}

/**
 * Returns the denial of a permission request in a planning session. For a submitted plan, the denial selects Droid's
 * `cancel` option, which ends the turn.
 */
export function answerInPlan(request: ServerRequest): Answer {
  const isPlan =
    request.method === "droid.request_permission" &&
    request.params.toolUses.some(({ toolUse }) => toolUse.name === SUBMIT_PLAN);
  if (isPlan) return { decision: "deny", optionId: CANCEL };
  return { decision: "deny", text: "this session must not change anything" };
}
