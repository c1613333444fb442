import type { Receipt } from "../schema/delivery.ts";
import type { Outcome } from "../schema/outcome.ts";
import { fromErrorInfo, HalyardError, toErrorInfo } from "./error.ts";
import type { Turn } from "./halyard.ts";

/** How far a message came; rejects where it came nowhere. */
export async function requireTaken({ accepted }: Turn): Promise<Receipt["status"]> {
  const receipt = await accepted;
  if (receipt.status === "failed") throw fromErrorInfo(receipt.error);
  return receipt.status;
}

/** How a message was delivered, once that is known: one that waits for others has not been delivered yet. */
export async function deliveryOf(turn: Turn): Promise<Receipt> {
  const receipt = await turn.accepted;
  if (receipt.status !== "queued") return receipt;
  for await (const event of turn) {
    if (event.type === "system") continue; // it has begun, which says nothing of the runtime yet
    const isOver = event.type === "completion";
    return isOver && neverBegan(event.outcome) ? receiptOf(event.outcome) : { status: "confirmed" };
  }
  return receipt;
}

function neverBegan({ status, error }: Outcome): boolean {
  return status === "cancelled" || error?.code === "delivery_failed";
}

/** What a turn that was not completed ended by: its error, or that it was cancelled. */
export function failureOf({ status, error }: Pick<Outcome, "status" | "error">): HalyardError {
  if (error) return fromErrorInfo(error);
  return status === "cancelled"
    ? new HalyardError("cancelled", "the turn was cancelled")
    : new HalyardError("agent_failed", "the turn failed");
}

/** What a turn's end says of the delivery of its message. */
export function receiptOf(outcome: Pick<Outcome, "status" | "error">): Receipt {
  if (outcome.status === "completed") return { status: "confirmed" };
  return { status: "failed", error: outcome.error ?? toErrorInfo(failureOf(outcome)) };
}
