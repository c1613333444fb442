import type { CompletionDraft } from "../../core/draft.ts";
import { errorInfo } from "../../core/error.ts";
import { modelFailureCode } from "../../core/model-failure.ts";
import type { Usage } from "../../schema/outcome.ts";
import type { ResultMessage } from "./messages.ts";

/** What else is known of a turn when it ends. */
export interface TurnSoFar {
  readonly usage: Usage;
  /** The last thing that was said. */
  readonly text: string;
  /** What Claude called the failure of a request to the model. */
  readonly apiError: string | undefined;
}

/** How a turn ended. Failures of the model come as a `success` that is an error. */
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

export function isAborted({ terminal_reason = "" }: ResultMessage): boolean {
  return terminal_reason.startsWith("aborted");
}

function isFailure({ is_error, subtype = "" }: ResultMessage): boolean {
  return is_error ?? subtype.startsWith("error");
}

/** Whether Claude says that it does not know the session it was to go on with. */
export function isUnknownSession({ errors = [] }: ResultMessage): boolean {
  return errors.some((error) => /^No conversation found/i.test(error));
}

/** A login that is missing never gets as far as the model; a key that the model refuses does. */
function codeOf(failure: ResultMessage, { apiError }: TurnSoFar) {
  if (isUnknownSession(failure)) return "runtime_session_not_found";
  const { api_error_status, result = "" } = failure;
  const neverAsked = typeof api_error_status !== "number";
  const isMissingLogin =
    (apiError === "authentication_failed" && neverAsked) || /run \/login/i.test(result);
  if (isMissingLogin) return "not_signed_in";
  return modelFailureCode(result, neverAsked ? undefined : api_error_status) ?? "agent_failed";
}

function messageOf({ result, errors = [], subtype = "an error" }: ResultMessage): string {
  if (result !== undefined && result !== "") return result;
  const said = errors.filter((error) => !error.startsWith("[ede_diagnostic]")).join("\n");
  return said === "" ? `Claude gave up: ${subtype.replaceAll("_", " ")}` : said;
}
