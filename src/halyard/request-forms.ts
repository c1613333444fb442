import type { RequestEvent } from "../schema/event.ts";
import type { Answer } from "../schema/permission.ts";

/** An answer option of a request, as displayed by a client. */
export interface OfferedOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: "allow_once" | "allow_always" | "reject_once" | "reject_always";
}

/**
 * Returns the answer options of a request. Adds options to allow and to deny to a permission request if the runtime
 * offers none.
 */
export function optionsOf(request: RequestEvent): OfferedOption[] {
  const offered = request.options.map(
    ({ id, label, decision, rule }): OfferedOption => ({
      optionId: id,
      name: label,
      kind: `${decision === "allow" ? "allow" : "reject"}_${rule || isLasting(id, label) ? "always" : "once"}`,
    }),
  );
  return lacksOptions(request) ? [...defaultOptions, ...offered] : offered;
}

/** True if the runtime offers no options for a permission. */
function lacksOptions({ options, kind }: RequestEvent): boolean {
  return kind === "permission" && options.every(({ rule }) => rule !== undefined);
}

const defaultOptions: OfferedOption[] = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "deny", name: "Deny", kind: "reject_once" },
];

/** True if the option's id or name indicates a lasting answer. Runtimes have no other field for this. */
function isLasting(...names: readonly string[]): boolean {
  return names.some((name) => /always|session|remember/i.test(name));
}

/** Converts the option that the client chose to an answer. Without a choice or with an unknown one, the answer is "deny". */
export function answerBy(request: RequestEvent, optionId: string | undefined): Answer {
  if (optionId === undefined) return { decision: "deny", text: "the client did not answer" };
  const option = request.options.find(({ id }) => id === optionId);
  if (option) return { decision: option.decision, optionId };
  return { decision: lacksOptions(request) && optionId === "allow" ? "allow" : "deny" };
}

/** True for a question that only text can answer. */
export function needsText({ kind, options }: RequestEvent): boolean {
  return kind === "question" && options.length === 0;
}

/** Returns the schema of the form for a text question, which has one field. */
export function textForm() {
  const type: "object" = "object";
  const answer = { type: "string" as const, title: "Answer" };
  return { type, properties: { answer }, required: ["answer"] };
}

/** Converts the content of the form that `textForm` describes to an answer. Without a text, the answer is "deny". */
export function answerIn(content: unknown): Answer {
  const written =
    typeof content === "object" && content !== null && "answer" in content && content.answer;
  if (typeof written === "string") return { decision: "allow", text: written };
  return { decision: "deny", text: "the client did not answer" };
}
