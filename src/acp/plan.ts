import { z } from "zod";
import type { StreamEvent } from "../schema/event.ts";
import type { PlanStep, Telling } from "./telling.ts";

/** Runtimes that keep a list give it as steps or as todos. */
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

/** What the runtime means to do: a list where it is one, and otherwise its words. */
export function planOf(event: Extract<StreamEvent, { type: "system" }>): Telling[] {
  const { data, text = "", seq } = event;
  const { steps, todos } = Listed.safeParse(data ?? {}).data ?? {};
  if (steps)
    return [{ type: "plan", steps: steps.map(({ step, status }) => toStep(step, status)) }];
  if (todos) {
    const told = todos.map(({ content, status, priority }) => toStep(content, status, priority));
    return [{ type: "plan", steps: told }];
  }
  return text === "" ? [] : [{ type: "words", by: "agent", messageId: `plan ${seq}`, text }];
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
