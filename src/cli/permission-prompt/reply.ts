import type { RequestEvent } from "../../schema/event.ts";
import type { Answer } from "../../schema/permission.ts";

/** The parsed form of a typed reply. */
export type Reply = Decided | { readonly kind: "explain" };

/** A reply that answers a request. */
export interface Decided {
  readonly kind: "answer";
  readonly answer: Answer;
}

/**
 * Parses a reply: `y`, `n`, `n REASON`, `a`, `e`, the number, label or id of an option, or the text that answers a
 * question. Returns undefined if the reply is ambiguous. A qualified yes such as "yes, but not there" is ambiguous.
 */
export function parseReply(line: string, request: RequestEvent): Reply | undefined {
  const text = line.trim();
  // The agent chooses the labels of options: a label such as "no" must not change the meaning of the word.
  const decided = request.kind === "question" ? undefined : parseWord(text, request);
  if (decided) return decided;
  const option = offersChoice(request) ? chooseOption(request, text) : undefined;
  if (option && !isReserved(text, request))
    return answer({ decision: option.decision, optionId: option.id });
  if (request.kind !== "question" || text === "") return undefined;
  return answer({ decision: "allow", text });
}

/** Parses a denial, or one of the words `yes`, `always` and `explain` or their first letters. */
function parseWord(text: string, request: RequestEvent): Reply | undefined {
  const option = request.options.find(({ label }) => label === text);
  const refusal = option?.decision === "deny" ? undefined : parseRefusal(text);
  if (refusal) return answer({ ...decide(request, "deny"), ...refusal });
  switch (wordOf(text)) {
    case "y":
    case "yes":
      return answer(decide(request, "allow"));
    case "a":
    case "always":
      return lastingAnswer(request);
    case "e":
    case "explain":
      return { kind: "explain" };
    default:
      return undefined;
  }
}

/** True for `a` and `always`, unless the request is a question. These words never select an option by its label. */
function isReserved(text: string, { kind }: RequestEvent): boolean {
  return kind !== "question" && /^(a|always)$/.test(wordOf(text));
}

function wordOf(text: string): string {
  return text.toLowerCase().replace(/[.!]+$/, "");
}

/** True if the user can choose an option by number. Requests with only yes and no have no numbers. */
export function offersChoice({ kind, options }: RequestEvent): boolean {
  const once = options.filter(({ rule }) => rule === undefined);
  return kind === "question" ? once.length > 0 : once.length > 2;
}

/** Returns the option with this number, label or id, or undefined if there is none. */
export function chooseOption({ options }: RequestEvent, text: string) {
  if (/^\d+$/.test(text)) return options[Number(text) - 1];
  return options.find(({ id, label }) => text === id || text === label);
}

/**
 * Returns an answer for this request only. Includes the first option of the runtime with this decision, if there is one,
 * because some runtimes require an option.
 */
export function decide(request: RequestEvent, decision: Answer["decision"]): Answer {
  const once = request.options.filter(({ rule }) => rule === undefined);
  const option = once.find((candidate) => candidate.decision === decision);
  return { decision, ...(option && { optionId: option.id }) };
}

/** Returns the answer that creates a rule for later requests, or undefined if no option creates one. */
function lastingAnswer({ options }: RequestEvent): Decided | undefined {
  const option = options.find(({ rule }) => rule !== undefined);
  return option && answer({ decision: "allow", optionId: option.id });
}

function answer(given: Answer): Decided {
  return { kind: "answer", answer: given };
}

/** Parses a denial. The text after "no" is the reason. A reply such as "don't do that" is the reason itself. */
function parseRefusal(text: string): { text?: string } | undefined {
  const [, plain] = /^no?(?![\p{L}\p{N}'’])[\s\p{P}]*(.*)$/isu.exec(text) ?? [];
  if (plain !== undefined) return plain === "" ? {} : { text: plain };
  if (!REFUSAL.test(text)) return undefined;
  return /\s/.test(text) ? { text } : {};
}

const REFUSAL =
  /^(nope|nah|not|never|none|nothing|don['’]?t|do not|deny|denied|refuse|reject|stop|cancel)(?![\p{L}\p{N}])/iu;
