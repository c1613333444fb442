import type { ExceededBudget } from "../../schema/budget.ts";
import type { UsageLimit } from "../../schema/usage-limit.ts";
import type { SessionParts } from "../session-parts.ts";
import type { OpenTurn } from "../turns/open-turn.ts";

/** Why the session interrupts a turn: a usage limit, or a budget that is used up. */
export type Pause =
  | { readonly reason: "limit"; readonly limit: UsageLimit }
  | { readonly reason: "budget"; readonly exceeded: ExceededBudget };

/**
 * Returns the reason to interrupt a running turn if its runtime would wait longer than `retryMs` before it retries.
 * Returns undefined if the wait is shorter or not known, if `retryMs` is 0, or if the turn is already being interrupted.
 */
export function pauseFor(
  turn: OpenTurn,
  { limits, clock }: Pick<SessionParts, "limits" | "clock">,
): Pause | undefined {
  const { limit, cause, pause } = turn;
  if (cause || pause || limit?.retryAt === undefined || limits.retryMs === 0) return undefined;
  const waitMs = Date.parse(limit.retryAt) - clock.now().getTime();
  return waitMs > limits.retryMs ? { reason: "limit", limit } : undefined;
}

/** Returns the message that continues a suspended turn, or undefined if the original message is sent again. */
export function continuationOf({ waiting }: OpenTurn): string | undefined {
  return waiting?.resend === false ? CONTINUE : undefined;
}

const CONTINUE =
  "Continue where you stopped: this turn was interrupted and can be continued now. Do not repeat work that is already done.";
