import type { Budget, BudgetSettings } from "../schema/budget.ts";

/**
 * Merges a project's and the user's budgets, unit by unit. A trusted project takes precedence. Otherwise the smaller
 * budget applies, so that a file from someone else cannot raise the user's budget.
 */
export function mergeBudgets(
  project: BudgetSettings = {},
  user: BudgetSettings = {},
  isTrusted: boolean,
): BudgetSettings {
  const merged: BudgetSettings = {};
  for (const scope of ["session", "project", "day"] as const) {
    const budget = mergeBudget(project[scope], user[scope], isTrusted);
    if (Object.keys(budget).length > 0) merged[scope] = budget;
  }
  return merged;
}

function mergeBudget(project: Budget = {}, user: Budget = {}, isTrusted: boolean): Budget {
  const merged: Budget = {};
  for (const unit of ["costUsd", "tokens", "minutes"] as const) {
    const [own, usual] = [project[unit], user[unit]];
    const smaller = own !== undefined && usual !== undefined ? Math.min(own, usual) : undefined;
    const value = (isTrusted ? undefined : smaller) ?? own ?? usual;
    if (value !== undefined) merged[unit] = value;
  }
  return merged;
}
