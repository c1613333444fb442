import { planSteps } from "../../halyard/plan-steps.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { AgentUpdate } from "./agent-update.ts";

/** Maps a plan to a list of steps, or to text if it has no steps. Returns an empty list if the plan has neither. */
export function planOf(event: Extract<StreamEvent, { type: "system" }>): AgentUpdate[] {
  const { text = "", seq } = event;
  const steps = planSteps(event);
  if (steps) return [{ type: "plan", steps }];
  return text === "" ? [] : [{ type: "text", by: "agent", messageId: `plan ${seq}`, text }];
}
