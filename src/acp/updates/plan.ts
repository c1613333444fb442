import { z } from "zod";
import type { StreamEvent } from "../../schema/event.ts";
import type { AgentUpdate, PlanStep } from "./agent-update.ts";

/** A plan as a list, which runtimes call steps or todos. */
const Listed = z.looseObject({
  steps: z.array(z.looseObject({ step: z.string(), status: z.string() })).optional(),
  todos: z
    .array(
      z.looseObject({
        content: z.string(),
        status: z.string(),
        priority: z.enum(["high", "medium", "low"]).catch("medium"),
      }),
    )
    .optional(),
});

/** Maps a plan to a list of steps, or to text if it has no steps. */
export function planOf(event: Extract<StreamEvent, { type: "system" }>): AgentUpdate[] {
  const { data, text = "", seq } = event;
  const { steps, todos } = Listed.safeParse(data ?? {}).data ?? {};
  if (steps)
    return [{ type: "plan", steps: steps.map(({ step, status }) => toStep(step, status)) }];
  if (todos) {
    const listed = todos.map(({ content, status, priority }) => toStep(content, status, priority));
    return [{ type: "plan", steps: listed }];
  }
  return text === "" ? [] : [{ type: "text", by: "agent", messageId: `plan ${seq}`, text }];
}

function toStep(
  content: string,
  status: string,
  priority: PlanStep["priority"] = "medium",
): PlanStep {
  return { content, status: statuses.get(status) ?? "pending", priority };
}

const statuses = new Map<string, PlanStep["status"]>([
  ["in_progress", "in_progress"],
  ["inProgress", "in_progress"],
  ["completed", "completed"],
  ["cancelled", "cancelled"],
]);
