import { z } from "zod";
import type { RequestDraft } from "../../core/draft.ts";
import type { Answer, RequestOption } from "../../schema/permission.ts";
import type { ControlRequest } from "./messages.ts";
import { toolKind } from "./tools.ts";

/** Claude waits for somebody to say whether a tool may run; some tools are themselves a question. */
export interface Ask {
  readonly nativeId: string;
  readonly callId: string | undefined;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export function askOf({ request_id: nativeId, request }: ControlRequest): Ask | undefined {
  if (request.subtype !== "can_use_tool") return undefined;
  const { tool_name: name = "unknown", tool_use_id: callId, input = {} } = request;
  return { nativeId, callId, name, input };
}

/** `plan` is what Claude said of it elsewhere, for since 2.1.325 the ask itself does not. */
export function toRequest(ask: Ask, { plan }: { plan: string | undefined }): RequestDraft {
  const { nativeId, callId, name, input } = ask;
  const request = { type: "request", nativeId, ...(callId !== undefined && { callId }) } as const;
  if (name === LEAVE_PLAN) {
    const text = ["Claude has a plan and asks to carry it out.", plan].filter(Boolean).join("\n\n");
    return { ...request, kind: "question", text, options: carryOutOrNot };
  }
  if (name === ASK_USER) {
    const questions = questionsIn(input);
    const [first, ...more] = questions;
    const options = more.length === 0 ? (first?.options ?? []).map(toOption) : [];
    return { ...request, kind: "question", text: questions.map(inWords).join("\n\n"), options };
  }
  const text = `${name} ${JSON.stringify(input)}`;
  const tool = { name, kind: toolKind(name), input };
  return { ...request, kind: "permission", text, tool, options: yesOrNo };
}

/** The answer in Claude's words. An allowed input has to be given back: 2.1.197 insists on it. */
export function toReply({ name, input }: Ask, answer: Answer): Record<string, unknown> {
  if (answer.decision === "deny")
    return { behavior: "deny", message: answer.text ?? "This was denied." };
  if (name !== ASK_USER) return { behavior: "allow", updatedInput: input };
  const answers = answersTo(questionsIn(input), answer);
  return { behavior: "allow", updatedInput: { ...input, answers } };
}

/** Whether Claude, which is to plan and change nothing, asks to change something. */
export function breaksPlan({ name }: Ask, permissionMode: string | undefined): boolean {
  const kind = toolKind(name);
  return permissionMode === "plan" && (kind === "edit" || kind === "execute");
}

export const onlyPlanning: Answer = {
  decision: "deny",
  text: "This session only plans: look around and write the plan, but change nothing.",
};

export const LEAVE_PLAN = "ExitPlanMode";
const ASK_USER = "AskUserQuestion";

const yesOrNo: RequestOption[] = [
  { id: "allow", label: "Allow", decision: "allow" },
  { id: "deny", label: "Deny", decision: "deny" },
];

const carryOutOrNot: RequestOption[] = [
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

function questionsIn(input: Readonly<Record<string, unknown>>): Question[] {
  return z.array(Question).safeParse(input.questions).data ?? [];
}

function toOption({ label }: Question["options"][number]): RequestOption {
  return { id: label, label, decision: "allow" };
}

function inWords({ question, options, multiSelect }: Question): string {
  const choices = options.map(({ label, description }) =>
    description ? `- ${label}: ${description}` : `- ${label}`,
  );
  const several = multiSelect ? " (one or several)" : "";
  return [`${question}${several}`, ...choices].join("\n");
}

/** One question takes all that was said; of several, each takes a line of it. */
function answersTo(questions: readonly Question[], { optionId, text = "" }: Answer) {
  const said = optionId ?? text;
  if (questions.length <= 1)
    return Object.fromEntries(questions.map(({ question }) => [question, said]));
  const lines = said.split("\n").filter((line) => line.trim() !== "");
  const answered = questions.map(({ question }, at) => [question, lines[at] ?? lines.at(-1) ?? ""]);
  return Object.fromEntries(answered);
}
