import { z } from "zod";
import { Usage } from "../outcome.ts";

const count = z.number().int().nonnegative();

/** The usage of several turns. */
export const TurnUsage = Usage.extend({
  /** The number of turns that ended. */
  turns: count,
  /** The total duration of these turns, in milliseconds. */
  durationMs: z.number().nonnegative(),
});
export type TurnUsage = z.infer<typeof TurnUsage>;

/** A day in UTC, such as `2026-11-17`. */
export const Day = z.iso.date();

/** The total usage of several sessions' turns. */
export const UsageTotal = TurnUsage.extend({
  /** The number of sessions with at least one of these turns. */
  sessions: count,
});
export type UsageTotal = z.infer<typeof UsageTotal>;

/** The usage of all sessions, in total and by group. A turn is counted on the day on which it ended. */
export const UsageReport = z.strictObject({
  /** The first day of the report, if the report has a start day. */
  since: Day.optional(),
  /** The usage of all turns. */
  total: UsageTotal,
  /** The usage of each day (UTC) on which a turn ended, the earliest first. */
  days: z.array(UsageTotal.extend({ day: Day })),
  /** The usage of each runtime, the largest first. */
  runtimes: z.array(UsageTotal.extend({ runtime: z.string() })),
  /**
   * The usage of each project, the largest first. A session without a project is listed under its directory,
   * a session in a worktree under the directory from which the worktree was created.
   */
  projects: z.array(UsageTotal.extend({ project: z.string() })),
  /**
   * The usage of each model, the largest first. A session counts under its current model, or `default` if no model was
   * set.
   */
  models: z.array(UsageTotal.extend({ model: z.string() })),
});
export type UsageReport = z.infer<typeof UsageReport>;

/** Selects the turns in a usage report. */
export const UsageFilter = z.strictObject({
  /** Includes only turns that ended on this day or later, such as `2026-11-10` (UTC). Defaults to all. */
  since: Day.optional(),
});
export type UsageFilter = z.infer<typeof UsageFilter>;
