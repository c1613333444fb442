import { usageDraft } from "../../../adapter-kit/report-drafts.ts";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import type { OpenCodeEvent } from "../messages.ts";
import type { NativeTurn } from "./native-turn.ts";
import { toRequest, toSettled } from "./requests.ts";

/**
 * Maps an event in a subagent's session: tool calls, requests and usage. A subagent's text is part of its task's
 * result. `isFirst` returns false for an id that was already mapped.
 */
export function subagentEvents(
  event: OpenCodeEvent,
  turn: NativeTurn,
  isFirst: (id: string) => boolean,
): EventDraft[] {
  switch (event.type) {
    case "message.part.updated": {
      const { part } = event.properties;
      if (part.type === "step-finish" && isFirst(part.id)) {
        turn.addUsage(part);
        return [usageDraft(turn.usage)];
      }
      return part.type === "tool" ? turn.tools.update(part) : [];
    }
    case "session.status": {
      const { status } = event.properties;
      if (status.type !== "retry") return [];
      const text = `a subagent retries: ${status.message ?? ""}`;
      return [{ type: "system", subtype: "status", text }];
    }
    case "permission.asked":
    case "permission.updated":
    case "question.asked":
      return isFirst(event.properties.id) ? [toRequest(event, turn.tools)] : [];
    case "permission.replied":
    case "question.replied":
    case "question.rejected":
      return toSettled(event);
    default:
      return [];
  }
}
