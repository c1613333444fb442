import { plainWords } from "../../../adapter-kit/plain-words.ts";
import type { CompletionDraft } from "../../../contracts/event-draft.ts";
import { errorInfo } from "../../../errors/error.ts";
import type { ErrorCode, ErrorInfo } from "../../../schema/error.ts";
import type { Usage } from "../../../schema/outcome.ts";
import type { TurnError } from "../messages.ts";

/** Maps the status and the error that Codex reports for a turn to a completion. */
export function completionOf(
  status: string,
  error: TurnError | undefined,
  usage: Usage,
): CompletionDraft {
  const base = { type: "completion", usage } as const;
  if (error !== undefined && MAX_TOKENS.test(error.message))
    return { ...base, status: "completed", stopReason: "max_tokens" };
  if (error !== undefined) return { ...base, status: "failed", error: toErrorInfo(error) };
  switch (status) {
    case "completed":
      return { ...base, status: "completed", stopReason: "end_turn" };
    case "interrupted":
      return { ...base, status: "cancelled" };
    default: {
      const message = `Codex ended the turn with status "${status}". Send the message again.`;
      return { ...base, status: "failed", error: errorInfo("agent_failed", message) };
    }
  }
}

/** Matches the message for a reached token limit, which Codex reports as an error although the turn completed. */
const MAX_TOKENS = /^Incomplete response returned, reason: max_output_tokens/;

function codeOf(info: unknown): ErrorCode {
  if (info === "unauthorized") return "not_signed_in";
  const isLimit = info === "usageLimitExceeded" || info === "rateLimitExceeded";
  return isLimit ? "rate_limited" : "agent_failed";
}

function toErrorInfo({ message, codexErrorInfo, additionalDetails }: TurnError): ErrorInfo {
  const code = codeOf(codexErrorInfo);
  const text = plainWords(message);
  return errorInfo(code, additionalDetails ? `${text} (${additionalDetails})` : text);
}
