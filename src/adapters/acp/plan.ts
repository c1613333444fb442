import type { EventDraft } from "../../core/draft.ts";
import type { PlanEntry } from "./messages.ts";

/** What the agent means to do, as a list that can be read and one that can be worked with. */
export function planDraft(entries: readonly PlanEntry[]): EventDraft {
  const steps = entries.map(({ content, status }) => ({
    step: content,
    status: status ?? "pending",
  }));
  const text = steps.map(({ step, status }) => `${marks.get(status) ?? "○"} ${step}`).join("\n");
  return { type: "system", subtype: "plan", text, data: { steps } };
}

const marks: ReadonlyMap<string, string> = new Map([
  ["completed", "●"],
  ["in_progress", "◐"],
  ["cancelled", "✕"],
]);
