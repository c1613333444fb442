import { z } from "zod";
import type { Answer } from "../../../schema/permission.ts";
import type { ServerRequest, ToolUse } from "../messages.ts";
import { CANCEL } from "../requests/answers.ts";

const PlanInput = z.looseObject({ plan: z.string() });

/** The tool with which the model submits its plan and requests to leave the planning mode. */
const SUBMIT_PLAN = "ExitSpecMode";

/** Returns the plan if the tool call submits one. */
export function planOf({ name, input }: ToolUse): string | undefined {
  return name === SUBMIT_PLAN ? PlanInput.safeParse(input).data?.plan : undefined;
}

/** Returns the answer to a permission request in a planning session. A submitted plan ends the turn. */
export function answerInPlan(request: ServerRequest): Answer {
  const isPlan =
    request.method === "droid.request_permission" &&
    request.params.toolUses.some(({ toolUse }) => toolUse.name === SUBMIT_PLAN);
  if (isPlan) return { decision: "deny", optionId: CANCEL };
  return { decision: "deny", text: "this session must not change anything" };
}
