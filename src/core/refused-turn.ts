import type { Outcome } from "../schema/outcome.ts";
import { type HalyardError, toErrorInfo } from "./error.ts";
import type { Turn } from "./halyard.ts";
import { newTurnId } from "./id.ts";
import { noUsage } from "./usage.ts";

/** A turn that never was: its receipt and its outcome say why, and it has no events. */
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
