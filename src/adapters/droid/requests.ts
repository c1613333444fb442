import type { RequestDraft } from "../../core/draft.ts";
import type { RequestOption, ToolKind } from "../../schema/permission.ts";
import type { PermissionRequest, QuestionRequest, ServerRequest, ToolUse } from "./messages.ts";
import { toolKind } from "./tools.ts";

/** What Droid asks, told in our words: one request for each of its own, however much that asks at once. */
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
    options: params.options.filter(({ value }) => !withheld.has(value)).map(toOption),
  };
}

/** One needs the edited plan along with it, the others allow more than was asked and do not say what. */
const withheld: ReadonlySet<string> = new Set([
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
    kind: gravest.find((kind) => used.includes(kind)) ?? "other",
    input: uses.map(({ name, input }) => ({ name, input })),
  };
}

/** Several tools at once are judged by what the worst of them may do. */
const gravest: readonly ToolKind[] = ["execute", "other", "fetch", "edit", "search", "read"];

function toOption({ value, label }: { value: string; label?: string | undefined }): RequestOption {
  const decision = value.startsWith("proceed") ? "allow" : "deny";
  return { id: value, label: label ?? value, decision };
}

/** Several questions are asked as one text; only a single one has options to choose from. */
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
