import type { Answer } from "../../schema/permission.ts";
import type { PermissionRequest, QuestionRequest, ServerRequest } from "./messages.ts";

/** The answer in Droid's words. */
export function toResult(request: ServerRequest, answer: Answer): Record<string, unknown> {
  switch (request.method) {
    case "droid.request_permission":
      return { selectedOption: toSelected(request, answer) };
    case "droid.ask_user":
      return toAnswers(request, answer);
  }
}

/** Droid breaks its turn off when it is denied a tool, and has no ear for the reason. */
export const CANCEL = "cancel";

/** What is to be said to the model so that it goes on after a denial; whoever chose Droid's own option wants the end. */
export function denialOf(request: ServerRequest, answer: Answer): string | undefined {
  if (request.method !== "droid.request_permission") return undefined;
  if (answer.decision !== "deny" || answer.optionId === CANCEL) return undefined;
  const names = [...new Set(request.params.toolUses.map(({ toolUse }) => toolUse.name))];
  return `Permission to use ${names.join(" and ")} was denied: ${answer.text ?? "the user said no"}`;
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
