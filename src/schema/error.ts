import { z } from "zod";
import { errorTable, phases } from "./error-table.ts";

/** The code of an error: a key of `errorTable`. */
export const ErrorCode = z.enum(
  Object.keys(errorTable) as [keyof typeof errorTable, ...(keyof typeof errorTable)[]],
);
export type ErrorCode = z.infer<typeof ErrorCode>;

/** What a turn can be busy with when its time runs out. */
export const Phase = z.enum(phases);
export type Phase = z.infer<typeof Phase>;

/** An error as data: in events, outcomes and answers over HTTP. */
export const ErrorInfo = z.strictObject({
  code: ErrorCode,
  message: z.string(),
  retryable: z.boolean(),
  /** What was under way, where a watchdog ended it. */
  phase: Phase.optional(),
});
export type ErrorInfo = z.infer<typeof ErrorInfo>;
