import type { RequestDraft } from "../../../contracts/event-draft.ts";
import type { RequestOption, ToolKind } from "../../../schema/permission.ts";
import { toolKind } from "../events/tools.ts";
import type { PermissionRequest, QuestionRequest, ServerRequest, ToolUse } from "../messages.ts";

/** Maps a Droid request to one request draft, even if it contains several tools or questions. */
export function requestDraft(request: ServerRequest): RequestDraft {
  switch (request.method) {
    case "droid.request_permission":
      return permissionDraft(request);
    case "droid.ask_user":
      return questionDraft(request);
  }
}

function permissionDraft({ id: nativeId, params }: PermissionRequest): RequestDraft {
  const uses = params.toolUses.map(({ toolUse }) => toolUse);
  const [first] = uses;
  return {
    type: "request",
    nativeId,
    kind: "permission",
    text: uses.map(({ name, input }) => `${name} ${JSON.stringify(input ?? {})}`).join("\n"),
    ...(first && { callId: first.id, tool: toolOf(first, uses) }),
    options: params.options.filter(({ value }) => !hiddenOptions.has(value)).map(toOption),
  };
}

/**
 * Options that are not offered. `proceed_edit` needs an edited plan; the others allow more than the request contains.
 */
const hiddenOptions: ReadonlySet<string> = new Set([
  "proceed_edit",
  "proceed_always",
  "proceed_auto_run",
  "proceed_auto_run_low",
  "proceed_auto_run_medium",
  "proceed_auto_run_high",
]);

function toolOf(first: ToolUse, uses: readonly ToolUse[]): NonNullable<RequestDraft["tool"]> {
  if (uses.length === 1)
    return { name: first.name, kind: toolKind(first.name), input: first.input ?? {} };
  const names = [...new Set(uses.map(({ name }) => name))];
  const used = names.map(toolKind);
  return {
    name: names.join(", "),
    kind: bySeverity.find((kind) => used.includes(kind)) ?? "other",
    input: uses.map(({ name, input }) => ({ name, input })),
  };
}

/** Tool kinds by severity, the most severe first. A request for several tools has the most severe of their kinds. */
const bySeverity: readonly ToolKind[] = ["execute", "other", "fetch", "edit", "search", "read"];

function toOption({ value, label }: { value: string; label?: string | undefined }): RequestOption {
  const decision = value.startsWith("proceed") ? "allow" : "deny";
  return { id: value, label: label ?? value, decision };
}

/** Maps questions. Several questions become one text without options; a single question keeps its options. */
function questionDraft({ id: nativeId, params }: QuestionRequest): RequestDraft {
  const { questions, toolCallId: callId } = params;
  const [only, ...others] = questions;
  const single = only && others.length === 0 ? only : undefined;
  const lines = questions.map(({ index, question, options }) => {
    const choices = options.length > 0 ? ` (${options.join(" / ")})` : "";
    return `${index}. ${question}${choices}`;
  });
  return {
    type: "request",
    nativeId,
    kind: "question",
    text: single?.question ?? lines.join("\n"),
    ...(callId !== undefined && { callId }),
    options: (single?.options ?? []).map((id) => ({ id, label: id, decision: "allow" }) as const),
  };
}
