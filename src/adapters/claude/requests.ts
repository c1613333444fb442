import { z } from "zod";
import type { RequestDraft } from "../../contracts/event-draft.ts";
import type { Answer, RequestOption } from "../../schema/permission.ts";
import { toolKind } from "./events/tools.ts";
import type { ControlRequest } from "./messages.ts";

/** A tool call that Claude runs only after an answer. Some tools, such as `AskUserQuestion`, ask a question. */
export interface NativeRequest {
  readonly nativeId: string;
  readonly callId: string | undefined;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Parses a control request. Returns undefined if it is not about a tool call. */
export function parseRequest({
  request_id: nativeId,
  request,
}: ControlRequest): NativeRequest | undefined {
  if (request.subtype !== "can_use_tool") return undefined;
  const { tool_name: name = "unknown", tool_use_id: callId, input = {} } = request;
  return { nativeId, callId, name, input };
}

/** Maps a request to a draft. `plan` is the text of the current plan, which the request itself omits since 2.1.325. */
export function toRequest(
  nativeRequest: NativeRequest,
  { plan }: { plan: string | undefined },
): RequestDraft {
  const { nativeId, callId, name, input } = nativeRequest;
  const request = { type: "request", nativeId, ...(callId !== undefined && { callId }) } as const;
  if (name === EXIT_PLAN_TOOL) {
    const text = ["Claude has a plan and asks to carry it out.", plan].filter(Boolean).join("\n\n");
    return { ...request, kind: "question", text, options: planOptions };
  }
  if (name === QUESTION_TOOL) {
    const questions = parseQuestions(input);
    const [first, ...more] = questions;
    const options = more.length === 0 ? (first?.options ?? []).map(toOption) : [];
    return {
      ...request,
      kind: "question",
      text: questions.map(formatQuestion).join("\n\n"),
      options,
    };
  }
  const text = `${name} ${JSON.stringify(input)}`;
  const tool = { name, kind: toolKind(name), input };
  return { ...request, kind: "permission", text, tool, options: permissionOptions };
}

/**
 * Maps an answer to Claude's format. In version 2.1.197, the reply to an allowed call must contain the call's input.
 */
export function toReply({ name, input }: NativeRequest, answer: Answer): Record<string, unknown> {
  if (answer.decision === "deny")
    return { behavior: "deny", message: answer.text ?? "The tool call was denied." };
  if (name !== QUESTION_TOOL) return { behavior: "allow", updatedInput: input };
  const answers = answersTo(parseQuestions(input), answer);
  return { behavior: "allow", updatedInput: { ...input, answers } };
}

/** True if a tool edits files or runs commands although Claude is in plan mode. */
export function violatesPlanMode(
  { name }: NativeRequest,
  permissionMode: string | undefined,
): boolean {
  const kind = toolKind(name);
  return permissionMode === "plan" && (kind === "edit" || kind === "execute");
}

/** The answer to a request that violates plan mode. */
export const planModeDenial: Answer = {
  decision: "deny",
  text: "This session is in plan mode: read files and write the plan, but change nothing.",
};

/** The tool that Claude calls to leave plan mode. */
export const EXIT_PLAN_TOOL = "ExitPlanMode";
const QUESTION_TOOL = "AskUserQuestion";

const permissionOptions: RequestOption[] = [
  { id: "allow", label: "Allow", decision: "allow" },
  { id: "deny", label: "Deny", decision: "deny" },
];

const planOptions: RequestOption[] = [
  { id: "allow", label: "Carry it out", decision: "allow" },
  { id: "deny", label: "Keep planning", decision: "deny" },
];

const Question = z.looseObject({
  question: z.string(),
  options: z
    .array(z.looseObject({ label: z.string(), description: z.string().optional() }))
    .default([]),
  multiSelect: z.boolean().optional(),
});
type Question = z.infer<typeof Question>;

function parseQuestions(input: Readonly<Record<string, unknown>>): Question[] {
  return z.array(Question).safeParse(input.questions).data ?? [];
}

function toOption({ label }: Question["options"][number]): RequestOption {
  return { id: label, label, decision: "allow" };
}

function formatQuestion({ question, options, multiSelect }: Question): string {
  const choices = options.map(({ label, description }) =>
    description ? `- ${label}: ${description}` : `- ${label}`,
  );
  const several = multiSelect ? " (one or several)" : "";
  return [`${question}${several}`, ...choices].join("\n");
}

/**
 * Assigns the whole answer to a single question, or one line of it to each of several questions. Repeats the last line
 * if the answer has too few lines.
 */
function answersTo(questions: readonly Question[], { optionId, text = "" }: Answer) {
  const reply = optionId ?? text;
  if (questions.length <= 1)
    return Object.fromEntries(questions.map(({ question }) => [question, reply]));
  const lines = reply.split("\n").filter((line) => line.trim() !== "");
  const answered = questions.map(({ question }, at) => [question, lines[at] ?? lines.at(-1) ?? ""]);
  return Object.fromEntries(answered);
}
