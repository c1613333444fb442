import type { EventDraft } from "../../contracts/event-draft.ts";
import type { SystemEvent } from "../../schema/event.ts";
import type { Answer } from "../../schema/permission.ts";
import type { PiMessage } from "./messages.ts";
import { PERMISSION_TITLE, permissionOptions, permissionRequest, ToolCall } from "./permission.ts";

type Dialog = Extract<PiMessage, { type: "extension_ui_request" }>;

/**
 * Maps a dialog from Halyard's or the user's extension to drafts. A dialog that needs no answer does not become a
 * request.
 */
export function dialogDrafts(dialog: Dialog): EventDraft[] {
  const { id: nativeId, method, title = "", message = "", options = [] } = dialog;
  const call = permissionCall(dialog);
  if (call !== undefined) return [permissionRequest(nativeId, call)];
  const text = [title, message].filter((part) => part !== "").join("\n\n");
  const question = { type: "request", nativeId, kind: "question", text } as const;
  switch (method) {
    case "confirm":
      return [{ ...question, options: permissionOptions }];
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

/** Returns the warning about a failed extension. */
export function extensionWarning(during: string, error: string): SystemEvent {
  return {
    type: "system",
    subtype: "warning",
    text: `A Pi extension failed during ${during}: ${error}`,
  };
}

/** Maps an answer to the command that replies to the dialog. */
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
