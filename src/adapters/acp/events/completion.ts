import type { CompletionDraft } from "../../../contracts/event-draft.ts";
import type { Usage } from "../../../schema/outcome.ts";
import type { RpcError } from "../messages.ts";
import { failureOf } from "./failure.ts";

/** The stop reason or the error with which the agent reports the end of a turn. */
export interface TurnEnd {
  readonly stopReason?: string | null | undefined;
  readonly error?: RpcError;
}

/** Builds a turn's completion from the agent's stop reason or error. */
export function completionOf(
  { stopReason, error }: TurnEnd,
  usage: Usage | undefined,
): CompletionDraft {
  const base = { type: "completion", ...(usage && { usage }) } as const;
  if (error || stopReason === "error")
    return { ...base, status: "failed", error: failureOf(error) };
  if (stopReason === "cancelled") return { ...base, status: "cancelled" };
  return { ...base, status: "completed", stopReason: stopReason || "end_turn" };
}
