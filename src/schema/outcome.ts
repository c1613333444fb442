import { z } from "zod";
import { ErrorInfo } from "./error.ts";

const count = z.number().int().nonnegative();

/** What one turn cost. Nothing is counted twice: all that the model read is input, cache read and cache write together. */
export const Usage = z.strictObject({
  /** What was read anew: neither from a cache nor into one. */
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count.optional(),
  cacheWriteTokens: count.optional(),
  /** A part of `outputTokens`, where the runtime tells it. */
  reasoningTokens: count.optional(),
  costUsd: z.number().nonnegative().optional(),
});
export type Usage = z.infer<typeof Usage>;

/** The three ways a turn can end. */
export const OutcomeStatus = z.enum(["completed", "cancelled", "failed"]);
export type OutcomeStatus = z.infer<typeof OutcomeStatus>;

/** How a turn ended. */
export const Outcome = z.strictObject({
  status: OutcomeStatus,
  /** The last thing the assistant said. */
  text: z.string(),
  /** `end_turn`, `max_tokens`, `cancelled`, `error`, or the runtime's own word. */
  stopReason: z.string(),
  usage: Usage,
  durationMs: z.number().nonnegative(),
  error: ErrorInfo.optional(),
  /** What a caller may want to know of how the turn came about, such as a fallback. */
  metadata: z.record(z.string(), z.unknown()).optional(),
});
export type Outcome = z.infer<typeof Outcome>;
