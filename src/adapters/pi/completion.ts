import type { CompletionDraft } from "../../core/draft.ts";
import { type ErrorCode, errorTable } from "../../schema/error.ts";
import type { Usage } from "../../schema/outcome.ts";
import type { AssistantMessage } from "./messages.ts";

/** How a turn ended whose last word was this message; without one it ended before the model said a thing. */
export function completionOf(last: AssistantMessage | undefined, usage: Usage): CompletionDraft {
  const stopReason = last?.stopReason ?? "stop";
  switch (stopReason) {
    case "error":
      return failure(last?.errorMessage ?? "the model gave no answer", usage);
    case "aborted":
      return { type: "completion", status: "cancelled", usage };
    case "length":
      return { type: "completion", status: "completed", stopReason: "max_tokens", usage };
    case "stop":
    case "toolUse":
      return { type: "completion", status: "completed", stopReason: "end_turn", usage };
    default:
      return { type: "completion", status: "completed", stopReason, usage };
  }
}

export function failure(message: string, usage: Usage): CompletionDraft {
  const code = codeOf(message);
  const { retryable } = errorTable[code];
  return { type: "completion", status: "failed", usage, error: { code, message, retryable } };
}

/** Pi says in words only that it has no key, or a login that no longer holds. */
export function codeOf(message: string): Extract<ErrorCode, "not_signed_in" | "agent_failed"> {
  const isMissingKey = /no api key|no models? (selected|available)|authentication failed for "/i;
  return isMissingKey.test(message) ? "not_signed_in" : "agent_failed";
}

/** What a turn cost so far and one more message on top; errors and aborts cost nothing, as far as Pi knows. */
export function addUsage(sum: Usage, { usage }: AssistantMessage): Usage {
  if (usage === undefined) return sum;
  const costUsd = (sum.costUsd ?? 0) + (usage.cost?.total ?? 0);
  const cacheReadTokens = (sum.cacheReadTokens ?? 0) + usage.cacheRead;
  const cacheWriteTokens = (sum.cacheWriteTokens ?? 0) + usage.cacheWrite;
  return {
    inputTokens: sum.inputTokens + usage.input,
    outputTokens: sum.outputTokens + usage.output,
    ...(cacheReadTokens > 0 && { cacheReadTokens }),
    ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
    // Pi has no price for the models of a custom endpoint and tells them as free.
    ...(costUsd > 0 && { costUsd }),
  };
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };
