import type { OpenTurn } from "./open-turn.ts";
import type { Turns } from "./turns.ts";

/** Cancels a turn when the signal is aborted. */
export function cancelOnAbort(turns: Turns, turn: OpenTurn, signal: AbortSignal): void {
  const onAbort = () => void turns.end(turn, { status: "cancelled", reason: "aborted" });
  signal.addEventListener("abort", onAbort, { once: true });
  void turn.outcome.promise.then(() => signal.removeEventListener("abort", onAbort));
}
