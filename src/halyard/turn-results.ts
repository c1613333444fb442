import type { Turn } from "../contracts/turn.ts";
import { fromErrorInfo, HalyardError, toErrorInfo } from "../errors/error.ts";
import type { Receipt } from "../schema/delivery.ts";
import type { Outcome } from "../schema/outcome.ts";

/** Returns the receipt status of a message. Rejects if its delivery failed. */
export async function requireTaken({ accepted }: Turn): Promise<Receipt["status"]> {
  const receipt = await accepted;
  if (receipt.status === "failed") throw fromErrorInfo(receipt.error);
  return receipt.status;
}

/** Resolves with the receipt of a message when the runtime has received the message, or when the delivery has failed. */
export async function deliveryOf(turn: Turn): Promise<Receipt> {
  const receipt = await turn.accepted;
  if (receipt.status !== "queued") return receipt;
  for await (const event of turn) {
    if (event.type === "system") continue; // the turn has started, but the runtime has not responded yet
    const isOver = event.type === "completion";
    return isOver && neverBegan(event.outcome) ? receiptOf(event.outcome) : { status: "confirmed" };
  }
  return receipt;
}

function neverBegan({ status, error }: Outcome): boolean {
  return status === "cancelled" || error?.code === "delivery_failed";
}

/** Returns the error for a turn that did not complete. */
export function failureOf({ status, error }: Pick<Outcome, "status" | "error">): HalyardError {
  if (error) return fromErrorInfo(error);
  return status === "cancelled"
    ? new HalyardError("cancelled", "The turn was cancelled.")
    : new HalyardError(
        "agent_failed",
        "The turn failed, and the runtime reported no reason. Send the message again.",
      );
}

/** Derives the receipt of a message from the outcome of its turn. */
export function receiptOf(outcome: Pick<Outcome, "status" | "error">): Receipt {
  if (outcome.status === "completed") return { status: "confirmed" };
  return { status: "failed", error: outcome.error ?? toErrorInfo(failureOf(outcome)) };
}
