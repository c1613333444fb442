import type { CompletionDraft } from "../../core/draft.ts";
import { errorInfo } from "../../core/error.ts";
import { plainWords } from "../../core/plain-words.ts";
import type { ErrorInfo } from "../../schema/error.ts";
import type { Usage } from "../../schema/outcome.ts";
import type { TurnError } from "./messages.ts";

/** How a turn ended, by Codex's own word for it and the error it gives, if any. */
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
      const message = `Codex ended the turn as ${status}`;
      return { ...base, status: "failed", error: errorInfo("agent_failed", message) };
    }
  }
}

/** What is no failure of anybody's, but is told as one: the model had no room to go on. */
const MAX_TOKENS = /^Incomplete response returned, reason: max_output_tokens/;

function toErrorInfo({ message, codexErrorInfo, additionalDetails }: TurnError): ErrorInfo {
  const code = codexErrorInfo === "unauthorized" ? "not_signed_in" : "agent_failed";
  const words = plainWords(message);
  return errorInfo(code, additionalDetails ? `${words} (${additionalDetails})` : words);
}
