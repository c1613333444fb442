import type { ExceededBudget } from "../../schema/budget.ts";
import type { SessionParts } from "../session-parts.ts";
import type { OpenTurn } from "../turns/open-turn.ts";
import { findExceeded, timeLeft } from "./budget.ts";

/** Checks the budgets of a session during a turn, and sets a timer for the moment when a time budget is used up. */
export class BudgetWatch {
  readonly #budgets: SessionParts["budgets"];
  #timer: NodeJS.Timeout | undefined;

  constructor({ budgets }: Pick<SessionParts, "budgets">) {
    this.#budgets = budgets;
  }

  /** Returns the first budget that is used up, or undefined if there is none. */
  async check({ meter, durationMs }: OpenTurn): Promise<ExceededBudget | undefined> {
    const accounts = (await this.#budgets?.()) ?? [];
    return findExceeded(accounts, { usage: meter.total(), durationMs });
  }

  /**
   * Calls `onTime` when a time budget is used up. The timer may fire early, so `onTime` must check the budget. Sets no timer
   * if there is no time budget.
   */
  async start({ meter, durationMs }: OpenTurn, onTime: () => void): Promise<void> {
    this.stop();
    const accounts = (await this.#budgets?.()) ?? [];
    const leftMs = timeLeft(accounts, { usage: meter.total(), durationMs });
    if (leftMs === undefined) return;
    this.stop();
    this.#timer = setTimeout(onTime, Math.min(leftMs + 1, LONGEST_TIMER_MS));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

const LONGEST_TIMER_MS = 2_147_483_647;
