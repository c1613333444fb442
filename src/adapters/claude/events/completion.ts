import type { CompletionDraft } from "../../../contracts/event-draft.ts";
import { errorInfo } from "../../../errors/error.ts";
import { modelFailureCode } from "../../../errors/model-failure.ts";
import type { Usage } from "../../../schema/outcome.ts";
import type { ResultMessage } from "../messages.ts";

/** A turn's state when it ends. */
export interface TurnSoFar {
  readonly usage: Usage;
  /** The text of the last message. */
  readonly text: string;
  /** Claude's name for the last model error in the turn, or undefined if there was none. */
  readonly apiError: string | undefined;
}

/** Maps a result message to the completion of a turn. For model errors, Claude sends `success` with `is_error`. */
export function completionOf(result: ResultMessage, turn: TurnSoFar): CompletionDraft {
  const { usage } = turn;
  if (isAborted(result)) return { type: "completion", status: "cancelled", usage };
  if (turn.apiError === "max_output_tokens")
    return { type: "completion", status: "completed", stopReason: "max_tokens", usage };
  if (isFailure(result)) {
    const stopReason = result.subtype === "error_max_turns" ? { stopReason: "max_turns" } : {};
    const error = errorInfo(codeOf(result, turn), messageOf(result));
    return { type: "completion", status: "failed", ...stopReason, usage, error };
  }
  const { result: text = "", stop_reason } = result;
  return {
    type: "completion",
    status: "completed",
    stopReason: stop_reason ?? "end_turn",
    usage,
    ...(text !== "" && text !== turn.text && { text }),
  };
}

/** True if the turn was interrupted. */
export function isAborted({ terminal_reason = "" }: ResultMessage): boolean {
  return terminal_reason.startsWith("aborted");
}

function isFailure({ is_error, subtype = "" }: ResultMessage): boolean {
  return is_error ?? subtype.startsWith("error");
}

/** True if Claude reports that the session to resume does not exist. */
export function isUnknownSession({ errors = [] }: ResultMessage): boolean {
  return errors.some((error) => /^No conversation found/i.test(error));
}

/**
 * Returns the error code. An unknown session is `runtime_session_not_found`. A missing login is `not_signed_in`: Claude
 * asks the user to run /login, or authentication fails without an HTTP status. In all other cases, the HTTP status and
 * the text determine the code.
 */
function codeOf(failure: ResultMessage, { apiError }: TurnSoFar) {
  if (isUnknownSession(failure)) return "runtime_session_not_found";
  const { api_error_status, result = "" } = failure;
  const hasNoStatus = typeof api_error_status !== "number";
  const isMissingLogin =
    (apiError === "authentication_failed" && hasNoStatus) || /run \/login/i.test(result);
  if (isMissingLogin) return "not_signed_in";
  return modelFailureCode(result, hasNoStatus ? undefined : api_error_status) ?? "agent_failed";
}

function messageOf({ result, errors = [], subtype = "unknown error" }: ResultMessage): string {
  if (result !== undefined && result !== "") return result;
  const text = errors.filter((error) => !error.startsWith("[ede_diagnostic]")).join("\n");
  if (text !== "") return text;
  return `Claude Code ended the turn early (${subtype.replaceAll("_", " ")}). Send the message again.`;
}
