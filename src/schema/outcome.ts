import { z } from "zod";
import { ErrorInfo } from "./error.ts";

const count = z.number().int().nonnegative();

/** The tokens and the cost of a turn. `inputTokens`, `cacheReadTokens` and `cacheWriteTokens` do not overlap. */
export const Usage = z.strictObject({
  /** Input tokens that were neither read from a cache nor written to one. */
  inputTokens: count,
  /** Tokens that the model produced. */
  outputTokens: count,
  /** Input tokens that were read from a cache. */
  cacheReadTokens: count.optional(),
  /** Input tokens that were written to a cache. */
  cacheWriteTokens: count.optional(),
  /** The part of `outputTokens` that is reasoning, if the runtime reports it. */
  reasoningTokens: count.optional(),
  /** The cost in US dollars, if the runtime reports it. */
  costUsd: z.number().nonnegative().optional(),
  /** The estimated cost in US dollars of the turns for which the runtime reports no cost, from a price table. */
  estimatedCostUsd: z.number().nonnegative().optional(),
});
export type Usage = z.infer<typeof Usage>;

/** The three ways a turn can end. */
export const OutcomeStatus = z.enum(["completed", "cancelled", "failed"]);
export type OutcomeStatus = z.infer<typeof OutcomeStatus>;

/** How a turn ended. */
export const Outcome = z.strictObject({
  /** How the turn ended. */
  status: OutcomeStatus,
  /** The last message of the assistant. */
  text: z.string(),
  /** Why the turn ended: `end_turn`, `max_tokens`, `cancelled`, `error`, or a runtime-specific value. */
  stopReason: z.string(),
  /** The last message as a JSON value, if the user's message had a schema and the value matches it. */
  data: z.unknown().optional(),
  /** The tokens and the cost of the turn. */
  usage: Usage,
  /** How long the turn took, in milliseconds. */
  durationMs: z.number().nonnegative(),
  /** The error that ended the turn, if it failed. */
  error: ErrorInfo.optional(),
  /** Further data about the turn, such as a fallback to another runtime. */
  metadata: z.record(z.string(), z.unknown()).optional(),
});
export type Outcome = z.infer<typeof Outcome>;
