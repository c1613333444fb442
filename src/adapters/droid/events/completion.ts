import type { CompletionDraft } from "../../../contracts/event-draft.ts";
import { errorInfo } from "../../../errors/error.ts";
import type { ErrorCode } from "../../../schema/error.ts";
import type { Usage } from "../../../schema/outcome.ts";

/** Errors that Droid reported during a turn. */
export interface TurnErrors {
  /** The last error that was not followed by an assistant message. */
  readonly error?: string | undefined;
  /** The last system message that Droid showed to the user. */
  readonly notice?: string | undefined;
}

/** Builds a turn's completion from the reason that Droid reports. */
export function completionOf(
  reason: string,
  { error, notice }: TurnErrors,
  usage: Usage,
): CompletionDraft {
  if (reason === "cancelled") return { type: "completion", status: "cancelled", usage };
  if (reason === "process_exit")
    return failed(
      "agent_exited",
      "Droid exited before the turn ended. Send the message again.",
      usage,
    );
  if (error === undefined && !isFailure(reason)) {
    const stopReason = reason === "completed" ? "end_turn" : reason;
    return { type: "completion", status: "completed", stopReason, usage };
  }
  if (notice !== undefined && isAboutLogin(notice)) return failed("not_signed_in", notice, usage);
  const message = error ?? notice ?? reason;
  if (isAboutLogin(message)) return failed("not_signed_in", message, usage);
  return failed(reason === "model_rate_limited" ? "rate_limited" : "agent_failed", message, usage);
}

function failed(code: ErrorCode, message: string, usage: Usage): CompletionDraft {
  return { type: "completion", status: "failed", usage, error: errorInfo(code, message) };
}

/** True for known failure reasons, and for unknown reasons whose name indicates a failure. */
function isFailure(reason: string): boolean {
  return /^model_|error|fail|reject|refus|limit|unavailable|unreachable|invalid|denied|timeout|exceed/i.test(
    reason,
  );
}

/** True if the Factory login is missing. False for a vendor's error about a model key. */
function isAboutLogin(message: string): boolean {
  return /FACTORY_API_KEY|No access token available/.test(message);
}
