import { z } from "zod";
import type { SystemEvent } from "../schema/event.ts";

/** A step of a runtime's plan. */
export interface PlanStep {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed" | "cancelled";
  readonly priority: "high" | "medium" | "low";
}

/** A plan as a list. Runtimes name the list `steps` or `todos`. */
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

/** Returns the steps of a `plan` event, or undefined if its data contains no list of steps. */
export function planSteps({ data = {} }: Pick<SystemEvent, "data">): PlanStep[] | undefined {
  const { steps, todos } = Listed.safeParse(data).data ?? {};
  if (steps) return steps.map(({ step, status }) => toStep(step, status));
  return todos?.map(({ content, status, priority }) => toStep(content, status, priority));
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
