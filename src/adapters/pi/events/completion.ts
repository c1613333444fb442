import type { CompletionDraft } from "../../../contracts/event-draft.ts";
import { errorInfo } from "../../../errors/error.ts";
import type { ErrorCode } from "../../../schema/error.ts";
import type { Usage } from "../../../schema/outcome.ts";
import { noUsage, tidyUsage } from "../../../schema/usage/usage.ts";
import type { AssistantMessage } from "../messages.ts";

/** Builds a turn's completion from its last message. If there is no message, the status is `completed`. */
export function completionOf(last: AssistantMessage | undefined, usage: Usage): CompletionDraft {
  const stopReason = last?.stopReason ?? "stop";
  switch (stopReason) {
    case "error":
      if (last?.errorMessage === ABORTED) return { type: "completion", status: "cancelled", usage };
      return failure(
        last?.errorMessage ?? "The model did not return an answer. Send the message again.",
        usage,
      );
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

/** Since 0.87, Pi reports an abort during a tool as a failed model call with the text of Node's `AbortError`. */
const ABORTED = "This operation was aborted";

/** Returns the completion of a failed turn. */
export function failure(message: string, usage: Usage): CompletionDraft {
  const error = errorInfo(codeOf(message), message);
  return { type: "completion", status: "failed", usage, error };
}

/** Derives the error code from Pi's message, because Pi reports a missing key or an expired login only as text. */
export function codeOf(message: string): Extract<ErrorCode, "not_signed_in" | "agent_failed"> {
  const isMissingKey = /no api key|no models? (selected|available)|authentication failed for "/i;
  return isMissingKey.test(message) ? "not_signed_in" : "agent_failed";
}

/** Returns a message's usage. Pi reports no cost for errors, aborts and custom endpoints. */
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
