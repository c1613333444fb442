import { z } from "zod";
import { SessionId } from "./id.ts";
import { RuntimeName } from "./runtime.ts";

/** How a session reacts if a usage limit of the vendor ends its turn. */
export const OnLimit = z.union(
  [
    /** `fail` ends the turn with `rate_limited`. `wait` continues the turn after the limit has reset. */
    z.enum(["fail", "wait"]),
    z.strictObject({
      /** The runtime that continues the work in a new session. */
      handoff: RuntimeName,
    }),
  ],
  { error: 'expected "fail", "wait" or { handoff: runtime }' },
);
export type OnLimit = z.infer<typeof OnLimit>;

/** One window of the usage limits of an account. */
export const LimitWindow = z.strictObject({
  /** The vendor's name for the window, such as `five_hour`, or its length, such as `5h`. */
  window: z.string(),
  /** How much of the window is used, in percent. */
  usedPercent: z.number().nonnegative().optional(),
  /** When the window resets. */
  resetsAt: z.iso.datetime().optional(),
});
export type LimitWindow = z.infer<typeof LimitWindow>;

/** A usage limit, as reported by a runtime: the data of a `limit` event. */
export const UsageLimit = z.strictObject({
  /** `reached` if the vendor currently rejects requests. */
  status: z.enum(["ok", "warning", "reached"]),
  /** The window whose limit is reached. */
  window: z.string().optional(),
  /** When the vendor accepts requests again. */
  resetsAt: z.iso.datetime().optional(),
  /** When the runtime retries the request on its own. */
  retryAt: z.iso.datetime().optional(),
  /** All windows of the account, if the runtime reports them. */
  windows: z.array(LimitWindow).optional(),
  /** How the session reacts. Set if the limit ended a native turn. */
  action: z.enum(["fail", "wait", "handoff"]).optional(),
});
export type UsageLimit = z.infer<typeof UsageLimit>;

/** The usage limits of one account, as last reported by a session. */
export const AccountLimits = z.strictObject({
  /** The runtime that uses the account. */
  runtime: RuntimeName,
  /** The directory with the sign-in data of the account, if it is not the user's default. */
  accountDir: z.string().optional(),
  /** The model endpoint of the account, if it is not the vendor's default. */
  endpoint: z.string().optional(),
  /** `reached` if the vendor currently rejects requests. */
  status: UsageLimit.shape.status,
  /** The windows of the account. */
  windows: z.array(LimitWindow),
  /** When the limits were reported. */
  reportedAt: z.iso.datetime(),
  /** The session that reported them. */
  sessionId: SessionId,
});
export type AccountLimits = z.infer<typeof AccountLimits>;

/** Why a turn waits, and until when: the data of a `turn_waiting` event. */
export const Waiting = z.strictObject({
  /** A usage limit of the vendor, or a budget. */
  reason: z.enum(["limit", "budget"]),
  /** When the turn continues. Absent for a budget, because the turn then waits for an answer. */
  until: z.iso.datetime().optional(),
  /** When the limit resets. Absent if the time is not known, and for a budget. */
  resetsAt: z.iso.datetime().optional(),
  /** The window whose limit is reached. */
  window: z.string().optional(),
  /** The number of consecutive waits for a limit without a reset time. */
  attempt: z.number().int().positive().optional(),
  /**
   * True if the original message is sent again. False if the turn has already done work: a short message then continues
   * the turn.
   */
  resend: z.boolean(),
});
export type Waiting = z.infer<typeof Waiting>;
