import type { Turn } from "../contracts/turn.ts";
import { type HalyardError, toErrorInfo } from "../errors/error.ts";
import { newTurnId } from "../errors/require-id.ts";
import type { Outcome } from "../schema/outcome.ts";
import { noUsage } from "../schema/usage/usage.ts";

/** Returns a turn that failed or was cancelled before it started: its receipt contains the reason, and it has no events. */
export function refusedTurn(reason: HalyardError): Turn {
  const error = toErrorInfo(reason);
  const ended = { text: "", usage: noUsage, durationMs: 0 };
  const outcome: Outcome =
    error.code === "cancelled"
      ? { ...ended, status: "cancelled", stopReason: "cancelled" }
      : { ...ended, status: "failed", stopReason: "error", error };
  return {
    id: newTurnId(),
    accepted: Promise.resolve({ status: "failed", error }),
    outcome: Promise.resolve(outcome),
    async cancel() {},
    async *[Symbol.asyncIterator]() {},
  };
}
