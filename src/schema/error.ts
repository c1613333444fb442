import { z } from "zod";
import { errorTable, phases } from "./error-table.ts";

/** The code of an error: a key of `errorTable`. */
export const ErrorCode = z.enum(
  Object.keys(errorTable) as [keyof typeof errorTable, ...(keyof typeof errorTable)[]],
);
export type ErrorCode = z.infer<typeof ErrorCode>;

/** A phase of a session or a turn that has a time limit. */
export const Phase = z.enum(phases);
export type Phase = z.infer<typeof Phase>;

/** An error as data, in events, outcomes and HTTP responses. */
export const ErrorInfo = z.strictObject({
  /** The kind of error. */
  code: ErrorCode,
  /** The failure, its reason, and the next step for the user. */
  message: z.string(),
  /** True if the same call may succeed later. */
  retryable: z.boolean(),
  /** The phase whose time limit expired. */
  phase: Phase.optional(),
  /** When the usage limit resets, if the code is `rate_limited` and the time is known. */
  resetsAt: z.iso.datetime().optional(),
});
export type ErrorInfo = z.infer<typeof ErrorInfo>;
