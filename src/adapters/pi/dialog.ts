import type { EventDraft } from "../../core/draft.ts";
import type { SystemEvent } from "../../schema/event.ts";
import type { Answer } from "../../schema/permission.ts";
import type { PiMessage } from "./messages.ts";
import { PERMISSION_TITLE, permissionRequest, ToolCall, yesOrNo } from "./permission.ts";

type Dialog = Extract<PiMessage, { type: "extension_ui_request" }>;

/** What an extension asks over RPC, ours or the user's own; what it only shows needs no answer. */
export function dialogDrafts(dialog: Dialog): EventDraft[] {
  const { id: nativeId, method, title = "", message = "", options = [] } = dialog;
  const call = permissionCall(dialog);
  if (call !== undefined) return [permissionRequest(nativeId, call)];
  const text = [title, message].filter((part) => part !== "").join("\n\n");
  const question = { type: "request", nativeId, kind: "question", text } as const;
  switch (method) {
    case "confirm":
      return [{ ...question, options: yesOrNo }];
    case "select": {
      const choices = options.map((id) => ({ id, label: id, decision: "allow" }) as const);
      return [{ ...question, options: choices }];
    }
    case "input":
    case "editor":
      return [{ ...question, options: [] }];
    case "notify":
      return [{ type: "system", subtype: "status", text: message }];
    default:
      return [];
  }
}

export function extensionWarning(during: string, error: string): SystemEvent {
  return {
    type: "system",
    subtype: "warning",
    text: `an extension of Pi failed on ${during}: ${error}`,
  };
}

/** The command that carries the answer back. */
export function dialogAnswer(dialog: Dialog, answer: Answer): Record<string, unknown> {
  const reply = { type: "extension_ui_response", id: dialog.id };
  if (permissionCall(dialog) !== undefined) return { ...reply, value: JSON.stringify(answer) };
  if (dialog.method === "confirm") return { ...reply, confirmed: answer.decision === "allow" };
  if (answer.decision === "deny") return { ...reply, cancelled: true };
  return { ...reply, value: answer.optionId ?? answer.text ?? "" };
}

function permissionCall({ title, placeholder }: Dialog): ToolCall | undefined {
  if (title !== PERMISSION_TITLE || placeholder === undefined) return undefined;
  try {
    return ToolCall.parse(JSON.parse(placeholder));
  } catch {
    return undefined;
  }
}
