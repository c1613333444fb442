import type { CompletionDraft } from "../../core/draft.ts";
import { errorInfo } from "../../core/error.ts";
import { noUsage, tidyUsage } from "../../core/usage.ts";
import type { ErrorCode } from "../../schema/error.ts";
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
  const error = errorInfo(codeOf(message), message);
  return { type: "completion", status: "failed", usage, error };
}

/** Pi says in words only that it has no key, or a login that no longer holds. */
export function codeOf(message: string): Extract<ErrorCode, "not_signed_in" | "agent_failed"> {
  const isMissingKey = /no api key|no models? (selected|available)|authentication failed for "/i;
  return isMissingKey.test(message) ? "not_signed_in" : "agent_failed";
}

/** What a message cost; errors and aborts cost nothing, as far as Pi knows, nor do the models of a custom endpoint. */
export function usageOf({ usage }: AssistantMessage): Usage {
  if (usage === undefined) return noUsage;
  return tidyUsage({
    inputTokens: usage.input,
    outputTokens: usage.output,
    cacheReadTokens: usage.cacheRead,
    cacheWriteTokens: usage.cacheWrite,
    costUsd: usage.cost?.total ?? 0,
  });
}
