import type { Answer } from "../../../schema/permission.ts";
import { isToolApproval, type RequestOf, type ServerRequest } from "./server-requests.ts";

/** Maps an answer to the result that Codex expects. For questions, see `answerOf`. */
export function resultFor(
  request: Exclude<ServerRequest, { method: "item/tool/requestUserInput" }>,
  answer: Answer,
): unknown {
  switch (request.method) {
    case "item/commandExecution/requestApproval":
    case "item/fileChange/requestApproval":
      return { decision: decisionOf(answer) };
    case "item/permissions/requestApproval": {
      const permissions = answer.decision === "allow" ? request.params.permissions : {};
      return { permissions, scope: "turn" };
    }
    case "mcpServer/elicitation/request": {
      if (isToolApproval(request)) return toolApproval(answer);
      const action = actionOf(answer);
      return {
        action,
        content: action === "accept" ? content(request, answer) : null,
        _meta: null,
      };
    }
  }
}

/** Maps the answer to one question. A denial becomes a text with the reason for the model. */
export function answerOf({ decision, optionId, text }: Answer): { answers: string[] } {
  const reply = optionId ?? text;
  if (decision === "allow") return { answers: reply === undefined ? [] : [reply] };
  return { answers: [`not answered${text ? `: ${text}` : ""}`] };
}

function decisionOf({ decision, optionId }: Answer): string {
  if (decision === "allow") return "accept";
  return optionId === "cancel" ? optionId : "decline";
}

function actionOf({ decision, optionId }: Answer): "accept" | "decline" | "cancel" {
  if (decision === "allow") return "accept";
  return optionId === "cancel" ? "cancel" : "decline";
}

function toolApproval(answer: Answer) {
  const action = actionOf(answer);
  return { action, content: action === "accept" ? {} : null, _meta: null };
}

/**
 * Maps the answer to the fields in an MCP server's form. For a single field, the answer is its text; for several
 * fields, it is a JSON object. Returns no fields if the JSON is invalid.
 */
function content(
  { params }: RequestOf<"mcpServer/elicitation/request">,
  { text = "" }: Answer,
): Record<string, unknown> {
  const [field, ...others] = Object.keys(params.requestedSchema?.properties ?? {});
  if (field === undefined) return {};
  if (others.length === 0) return { [field]: text };
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
