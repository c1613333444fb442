import { z } from "zod";
import { SessionId } from "../id.ts";
import { RuntimeName } from "../runtime.ts";
import { SessionState } from "./session-state.ts";

/** An age such as `12h`, `30d` or `8w`. `0d` matches any age. */
export const Age = z.string().regex(/^\d{1,6}[hdw]$/, "expected an age such as 12h, 30d or 8w");
export type Age = z.infer<typeof Age>;

const HOUR_MS = 3_600_000;
const unitMs = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS } as const;

/** Returns an age in milliseconds. */
export function ageMs(age: Age): number {
  const unit = age.endsWith("h") ? "h" : age.endsWith("d") ? "d" : "w";
  return Number.parseInt(age, 10) * unitMs[unit];
}

/** Selects the ended sessions to remove. */
export const Retention = z.strictObject({
  /** Removes sessions that have been inactive for longer than this age, such as `30d`. */
  olderThan: Age,
  /** Always keeps this number of the newest ended sessions. Defaults to 0. */
  keep: z.number().int().nonnegative().exactOptional(),
});
export type Retention = z.infer<typeof Retention>;

/** The options of `Halyard.prune`. */
export const PruneOptions = Retention.extend({
  /** True to report what would be removed without removing anything. Defaults to false. */
  dryRun: z.boolean().exactOptional(),
});
export type PruneOptions = z.infer<typeof PruneOptions>;

/** A session that `Halyard.prune` removed, or would remove without `dryRun`. */
export const PrunedSession = z.strictObject({
  id: SessionId,
  runtime: RuntimeName,
  /** The name of the session, or the beginning of its first message. */
  title: z.string().optional(),
  state: SessionState,
  /** When the session was last active. */
  updatedAt: z.iso.datetime(),
  /** The number of events in the session's log. */
  events: z.number().int().nonnegative(),
});
export type PrunedSession = z.infer<typeof PrunedSession>;

/** The result of `Halyard.prune`. */
export const PruneResult = z.strictObject({
  /** The sessions that were removed, or would be removed without `dryRun`. */
  removed: z.array(PrunedSession),
  /** The disk space that was returned to the system, in bytes. */
  freedBytes: z.number().int().nonnegative(),
  /** Descriptions of the errors because of which sessions could not be removed. */
  problems: z.array(z.string()),
  /** True if sessions or disk space remain to be removed. Call `prune` again to continue. */
  hasMore: z.boolean(),
});
export type PruneResult = z.infer<typeof PruneResult>;
