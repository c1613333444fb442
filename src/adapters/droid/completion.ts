import type { CompletionDraft } from "../../core/draft.ts";
import { errorInfo } from "../../core/error.ts";
import type { ErrorCode } from "../../schema/error.ts";
import type { Usage } from "../../schema/outcome.ts";

/** What was said in a turn of why it might fail. */
export interface Complaints {
  /** The error that nothing has made good since. */
  readonly error?: string | undefined;
  /** Droid's own words to the user about it. */
  readonly notice?: string | undefined;
}

/** How a turn ended that Droid ended for that reason. */
export function completionOf(
  reason: string,
  { error, notice }: Complaints,
  usage: Usage,
): CompletionDraft {
  if (reason === "cancelled") return { type: "completion", status: "cancelled", usage };
  if (reason === "process_exit")
    return failed("agent_exited", "Droid shut down before the turn had ended", usage);
  if (error === undefined && !isFailure(reason)) {
    const stopReason = reason === "completed" ? "end_turn" : reason;
    return { type: "completion", status: "completed", stopReason, usage };
  }
  if (notice !== undefined && isAboutLogin(notice)) return failed("not_signed_in", notice, usage);
  const message = error ?? notice ?? reason;
  return failed(isAboutLogin(message) ? "not_signed_in" : "agent_failed", message, usage);
}

function failed(code: ErrorCode, message: string, usage: Usage): CompletionDraft {
  return { type: "completion", status: "failed", usage, error: errorInfo(code, message) };
}

/** Reasons known to be failures, and those whose name says so. */
function isFailure(reason: string): boolean {
  return /^model_|error|fail|reject|refus|limit|unavailable|unreachable|invalid|denied|timeout|exceed/i.test(
    reason,
  );
}

/** Of the login at Factory, that is; what another model's vendor says of its key is its own affair. */
function isAboutLogin(message: string): boolean {
  return /FACTORY_API_KEY|No access token available/.test(message);
}
