import type { Outcome } from "../schema/outcome.ts";
import { totalTokens } from "../schema/usage/usage.ts";

const known = ["end_turn", "max_tokens", "max_turn_requests", "refusal"] as const;

/** Returns the protocol's stop reason for a turn: `end_turn` if the reason is unknown, undefined if the turn failed. */
export function stopReasonOf({
  status,
  stopReason,
}: Outcome): (typeof known)[number] | "cancelled" | undefined {
  switch (status) {
    case "cancelled":
      return "cancelled";
    case "failed":
      return undefined;
    case "completed":
      return known.find((reason) => reason === stopReason) ?? "end_turn";
  }
}

/** Returns the usage of a turn with the protocol's field names. */
export function promptUsage({ usage }: Outcome) {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    inputTokens,
    outputTokens,
    totalTokens: totalTokens(usage),
    ...(cacheReadTokens !== undefined && { cachedReadTokens: cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cachedWriteTokens: cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { thoughtTokens: reasoningTokens }),
  };
}
