import type { Outcome } from "../schema/outcome.ts";

const known = ["end_turn", "max_tokens", "max_turn_requests", "refusal"] as const;

/** How a turn ended, in the protocol's words; one that failed has none of them. */
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

/** What a turn cost, in the words that clients of either version know. */
export function costOf({ usage }: Outcome) {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  const read = inputTokens + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  return {
    inputTokens,
    outputTokens,
    totalTokens: read + outputTokens,
    ...(cacheReadTokens !== undefined && { cachedReadTokens: cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cachedWriteTokens: cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { thoughtTokens: reasoningTokens }),
  };
}
