import { HalyardError } from "../core/error.ts";
import type { RequestEvent } from "../schema/event.ts";
import type { Answer } from "../schema/permission.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { ToldTool } from "./telling.ts";
import { toldTool } from "./tools.ts";

/** A way to answer, as both versions of the protocol have it. */
export interface OfferedOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: "allow_once" | "allow_always" | "reject_once" | "reject_always";
}

/** The ways to answer a request; a permission can always be given and denied. */
export function optionsOf(request: RequestEvent): OfferedOption[] {
  const offered = request.options.map(
    ({ id, label, decision, rule }): OfferedOption => ({
      optionId: id,
      name: label,
      kind: `${decision === "allow" ? "allow" : "reject"}_${rule || isLasting(id, label) ? "always" : "once"}`,
    }),
  );
  return hasNoWay(request) ? [...usual, ...offered] : offered;
}

/** True if the runtime offers no options of its own for a permission. */
function hasNoWay({ options, kind }: RequestEvent): boolean {
  return kind === "permission" && options.every(({ rule }) => rule !== undefined);
}

const usual: OfferedOption[] = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "deny", name: "Deny", kind: "reject_once" },
];

/** Runtimes say it in the option's name alone. */
function isLasting(...names: readonly string[]): boolean {
  return names.some((name) => /always|session|remember/i.test(name));
}

/** What a client chose, as an answer. A client that chose nothing has said no. */
export function answerBy(request: RequestEvent, optionId: string | undefined): Answer {
  if (optionId === undefined) return { decision: "deny", text: "it was left unanswered" };
  const option = request.options.find(({ id }) => id === optionId);
  if (option) return { decision: option.decision, optionId };
  return { decision: hasNoWay(request) && optionId === "allow" ? "allow" : "deny" };
}

/** A question that only words can answer. */
export function needsWords({ kind, options }: RequestEvent): boolean {
  return kind === "question" && options.length === 0;
}

/** The form for such a question: one field. */
export function wordsForm() {
  const type: "object" = "object";
  const answer = { type: "string" as const, title: "Answer" };
  return { type, properties: { answer }, required: ["answer"] };
}

/** For a client that has no form to fill in. */
export function mute({ text }: RequestEvent): HalyardError {
  return new HalyardError("unsupported", `the client cannot be asked this: ${text}`);
}

/** What was written into the form. */
export function answerIn(content: unknown): Answer {
  const written =
    typeof content === "object" && content !== null && "answer" in content && content.answer;
  if (typeof written === "string") return { decision: "allow", text: written };
  return { decision: "deny", text: "it was left unanswered" };
}

/** The tool that a request is about; where there is none, what is asked stands for it. */
export function toolAsked(
  { callId, requestId, text, tool }: RequestEvent,
  { cwd }: SessionInfo,
): ToldTool {
  const asked = tool ?? { name: "question", kind: "other" as const, input: {} };
  const told = toldTool(asked, cwd);
  return { callId: callId ?? requestId, ...told, title: tool ? told.title : text };
}
