import type { EventDraft } from "../../../contracts/event-draft.ts";
import type { PlanEntry } from "../messages.ts";

/** Maps a plan to a `system/plan` event that contains the steps as text and as data. */
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
