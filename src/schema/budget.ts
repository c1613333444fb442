import { z } from "zod";
import { Day } from "./usage/usage-report.ts";

/** The units of a budget. */
export const BudgetUnit = z.enum(["costUsd", "tokens", "minutes"]);
export type BudgetUnit = z.infer<typeof BudgetUnit>;

/** The maximum that sessions may use before a user must approve more. An omitted unit is not limited. */
export const Budget = z.strictObject({
  /** US dollars: the cost that the runtime reports, otherwise an estimate from the price table. */
  costUsd: z.number().positive().exactOptional(),
  /** Tokens of all kinds, including cached input tokens. */
  tokens: z.number().int().positive().exactOptional(),
  /**
   * Minutes during which turns run. Time spent waiting for a usage limit to reset or for an answer to a budget request
   * does not count.
   */
  minutes: z.number().positive().exactOptional(),
});
export type Budget = z.infer<typeof Budget>;

/** The sessions that share a budget: one session, the sessions of its project, or all sessions on one day in UTC. */
export const BudgetScope = z.enum(["session", "project", "day"]);
export type BudgetScope = z.infer<typeof BudgetScope>;

/** The budgets of the configuration. */
export const BudgetSettings = z.strictObject({
  /** The budget of each session that does not set its own. */
  session: Budget.exactOptional(),
  /** The budget of all sessions of a project, or of a directory if they belong to no project. */
  project: Budget.exactOptional(),
  /** The budget of all sessions on one day in UTC. */
  day: Budget.exactOptional(),
});
export type BudgetSettings = z.infer<typeof BudgetSettings>;

/** A budget that is used up. A request of the kind `budget` contains it. */
export const ExceededBudget = z.strictObject({
  /** The sessions that share the budget. */
  scope: BudgetScope,
  /** The unit that is used up. */
  unit: BudgetUnit,
  /** The limit, including its extensions. */
  limit: z.number(),
  /** The amount that is used, including the running turn. */
  used: z.number(),
  /** The amount that the answer `allow` adds to `limit`, unless the answer chooses the option `unlimited`. */
  extendBy: z.number(),
  /** True if part of the used cost is an estimate. */
  isEstimate: z.literal(true).optional(),
  /** The day of the budget, if the scope is `day`. */
  day: Day.optional(),
});
export type ExceededBudget = z.infer<typeof ExceededBudget>;

/** A budget extension that a user approved. */
export const BudgetExtension = z.strictObject({
  /** The sessions that share the budget. */
  scope: BudgetScope,
  /** The unit of the limit. */
  unit: BudgetUnit,
  /** The amount that was added to the limit. Absent if the limit was removed. */
  amount: z.number().optional(),
  /** The day of the budget, if the scope is `day`. */
  day: Day.optional(),
});
export type BudgetExtension = z.infer<typeof BudgetExtension>;
