import { z } from "zod";
import type { Answer } from "../../schema/permission.ts";
import { CANCEL } from "./answers.ts";
import type { ServerRequest, ToolUse } from "./messages.ts";

const PlanInput = z.looseObject({ plan: z.string() });

/** The tool by which the model hands its plan in, to be let out of the mode in which it can only plan. */
const LEAVE_PLANNING = "ExitSpecMode";

export function planOf({ name, input }: ToolUse): string | undefined {
  return name === LEAVE_PLANNING ? PlanInput.safeParse(input).data?.plan : undefined;
}

/** What a session that plans answers to whatever Droid asks permission for; the plan itself is the end of the turn. */
export function answerInPlan(request: ServerRequest): Answer {
  const isPlan =
    request.method === "droid.request_permission" &&
    request.params.toolUses.some(({ toolUse }) => toolUse.name === LEAVE_PLANNING);
  if (isPlan) return { decision: "deny", optionId: CANCEL };
  return { decision: "deny", text: "in this session nothing may be changed" };
}
