import type {
  Budget,
  BudgetExtension,
  BudgetScope,
  BudgetUnit,
  ExceededBudget,
} from "../../schema/budget.ts";
import { UNLIMITED } from "../../schema/constants.ts";
import type { Usage } from "../../schema/outcome.ts";
import type { RequestOption } from "../../schema/permission.ts";
import { knownCostUsd, totalTokens } from "../../schema/usage/usage.ts";

/** A budget and the usage of the sessions that share it, excluding the turn that is being checked. */
export interface BudgetAccount {
  readonly scope: BudgetScope;
  readonly budget: Budget;
  readonly usage: Usage;
  /** The total duration of the turns in milliseconds. */
  readonly durationMs: number;
  readonly extensions: readonly BudgetExtension[];
  readonly day?: string;
}

/** The usage of a turn so far. */
export interface TurnSpending {
  readonly usage: Usage;
  readonly durationMs: number;
}

/** Returns the first budget that is used up, or undefined if there is none. */
export function findExceeded(
  accounts: readonly BudgetAccount[],
  turn: TurnSpending,
): ExceededBudget | undefined {
  for (const account of accounts) {
    for (const unit of units) {
      const limit = limitOf(account, unit);
      const used = usedOf(account, unit) + usedOf(turn, unit);
      if (limit === undefined || used < limit) continue;
      const estimated = [account.usage, turn.usage].some((usage) => usage.estimatedCostUsd);
      return {
        scope: account.scope,
        unit,
        limit,
        used,
        extendBy: account.budget[unit] ?? limit,
        ...(unit === "costUsd" && estimated && { isEstimate: true }),
        ...(account.day !== undefined && { day: account.day }),
      };
    }
  }
  return undefined;
}

/**
 * Returns the milliseconds until the first time budget is used up, or 0 if one is used up already. Returns undefined if
 * there is no time budget.
 */
export function timeLeft(
  accounts: readonly BudgetAccount[],
  turn: TurnSpending,
): number | undefined {
  const left = accounts.flatMap((account) => {
    const minutes = limitOf(account, "minutes");
    return minutes === undefined
      ? []
      : [minutes * MINUTE_MS - account.durationMs - turn.durationMs];
  });
  return left.length === 0 ? undefined : Math.max(0, Math.min(...left));
}

const MINUTE_MS = 60_000;
const units: readonly BudgetUnit[] = ["costUsd", "tokens", "minutes"];

/** Returns the limit with its extensions, or undefined if there is no limit or a user removed it. */
function limitOf(
  { scope, budget, extensions, day }: BudgetAccount,
  unit: BudgetUnit,
): number | undefined {
  let limit = budget[unit];
  for (const one of extensions) {
    if (limit === undefined) return undefined;
    if (one.scope !== scope || one.unit !== unit || one.day !== day) continue;
    limit = one.amount === undefined ? undefined : limit + one.amount;
  }
  return limit;
}

function usedOf({ usage, durationMs }: TurnSpending, unit: BudgetUnit): number {
  switch (unit) {
    case "costUsd":
      return knownCostUsd(usage) ?? 0;
    case "tokens":
      return totalTokens(usage);
    case "minutes":
      return durationMs / MINUTE_MS;
  }
}

/** Describes a budget that is used up, as a sentence. */
export function describeExceeded({ scope, unit, limit, used, isEstimate }: ExceededBudget): string {
  const estimate = isEstimate ? " (partly an estimate)" : "";
  return `The budget of the ${scope} is used up: ${amount(used, unit)} of ${amount(limit, unit)}${estimate}.`;
}

/** Returns the possible answers to a budget request. */
export function budgetOptions({ extendBy, unit }: ExceededBudget): RequestOption[] {
  return [
    { id: "extend", label: `Extend by ${amount(extendBy, unit)}`, decision: "allow" },
    { id: UNLIMITED, label: "Continue without this limit", decision: "allow" },
    { id: "stop", label: "End the turn", decision: "deny" },
  ];
}

function amount(value: number, unit: BudgetUnit): string {
  switch (unit) {
    case "costUsd":
      return `$${value.toFixed(value < 0.1 ? 4 : 2)}`;
    case "tokens":
      return `${Math.round(value).toLocaleString("en-US")} tokens`;
    case "minutes":
      return `${Number(value.toFixed(1))} min`;
  }
}
