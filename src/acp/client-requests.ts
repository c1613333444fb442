import { HalyardError } from "../errors/error.ts";
import type { RequestEvent } from "../schema/event.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { ReportedTool } from "./updates/agent-update.ts";
import { toReportedTool } from "./updates/tools.ts";

/** Returns the error for a client that does not support forms. */
export function formsUnsupported({ text }: RequestEvent): HalyardError {
  return new HalyardError(
    "unsupported",
    `The client does not support forms, which this question needs: ${text}`,
  );
}

/** Returns the tool that a request is about. For a question without a tool, the title is the text of the question. */
export function toolOfRequest(
  { callId, requestId, text, tool }: RequestEvent,
  { cwd }: SessionInfo,
): ReportedTool {
  const subject = tool ?? { name: "question", kind: "other" as const, input: {} };
  const reported = toReportedTool(subject, cwd);
  return { callId: callId ?? requestId, ...reported, title: tool ? reported.title : text };
}
