import { listInWords } from "../../../errors/list-in-words.ts";
import type { Answer } from "../../../schema/permission.ts";
import type { PermissionRequest, QuestionRequest, ServerRequest } from "../messages.ts";

/** Converts an answer to the result that Droid expects. */
export function toResult(request: ServerRequest, answer: Answer): Record<string, unknown> {
  switch (request.method) {
    case "droid.request_permission":
      return { selectedOption: toSelected(request, answer) };
    case "droid.ask_user":
      return toAnswers(request, answer);
  }
}

/** The option that denies a tool. Droid then ends its turn and does not accept a reason. */
export const CANCEL = "cancel";

/**
 * Returns the message that makes the model continue after a denial. Returns undefined if no permission was denied, or
 * if the user chose Droid's `cancel` option.
 */
export function denialOf(request: ServerRequest, answer: Answer): string | undefined {
  if (request.method !== "droid.request_permission") return undefined;
  if (answer.decision !== "deny" || answer.optionId === CANCEL) return undefined;
  const names = [...new Set(request.params.toolUses.map(({ toolUse }) => toolUse.name))];
  return `Permission to use ${listInWords(names, "and")} was denied: ${answer.text ?? "the user denied it"}`;
}

function toSelected({ params }: PermissionRequest, answer: Answer): string {
  if (answer.decision === "deny") return CANCEL;
  const offered = params.options.map(({ value }) => value);
  if (answer.optionId !== undefined && offered.includes(answer.optionId)) return answer.optionId;
  return (
    offered.find((value) => value === "proceed_once") ?? offered.find(proceeds) ?? "proceed_once"
  );
}

function proceeds(value: string): boolean {
  return value.startsWith("proceed");
}

function toAnswers({ params }: QuestionRequest, { decision, optionId, text = "" }: Answer) {
  if (decision === "deny") return { cancelled: true, answers: [] };
  const { questions } = params;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const isOneEach = questions.length > 1 && lines.length === questions.length;
  const answers = questions.map(({ index, question }, at) => ({
    index,
    question,
    answer: optionId ?? (isOneEach ? (lines[at] ?? "") : text),
  }));
  return { cancelled: false, answers };
}
