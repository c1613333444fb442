import type { CompletionDraft } from "../../core/draft.ts";
import type { Usage } from "../../schema/outcome.ts";
import { failureOf } from "./failure.ts";
import type { RpcError } from "./messages.ts";

export interface TurnEnd {
  readonly stopReason?: string | null | undefined;
  readonly error?: RpcError;
}

/** How a turn ended, by the agent's own word for it. */
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
