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
 * Parses a reply: `y`, `n`, `n REASON`, `a`, `e`, the number of an option, or the text that answers a question. Returns
 * undefined if the meaning is not clear. Only a bare yes allows: "yes, but not there" is not clear.
 */
export function parseReply(line: string, request: RequestEvent): Reply | undefined {
  const text = line.trim();
  const option = offersChoice(request) ? chooseOption(request, text) : undefined;
  if (option) return answer({ decision: option.decision, optionId: option.id });
  if (request.kind === "question")
    return text === "" ? undefined : answer({ decision: "allow", text });
  const refusal = parseRefusal(text);
  if (refusal) return answer({ ...decide(request, "deny"), ...refusal });
  switch (text.toLowerCase().replace(/[.!]+$/, "")) {
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

/** True if the user can choose an option by number. Requests with only yes and no have no numbers. */
export function offersChoice({ kind, options }: RequestEvent): boolean {
  const once = options.filter(({ rule }) => rule === undefined);
  return kind === "question" ? once.length > 0 : once.length > 2;
}

/** Returns the option with this number, label or id. */
export function chooseOption({ options }: RequestEvent, text: string) {
  if (/^\d+$/.test(text)) return options[Number(text) - 1];
  return options.find(({ id, label }) => text === id || text === label);
}

/** Returns an answer for this request only. Names an option of the runtime, because some runtimes require one. */
export function decide(request: RequestEvent, decision: Answer["decision"]): Answer {
  const once = request.options.filter(({ rule }) => rule === undefined);
  const option = once.find((candidate) => candidate.decision === decision);
  return { decision, ...(option && { optionId: option.id }) };
}

/** Returns the answer that allows this request and creates the rule for later ones. */
function lastingAnswer({ options }: RequestEvent): Decided | undefined {
  const option = options.find(({ rule }) => rule !== undefined);
  return option && answer({ decision: "allow", optionId: option.id });
}

function answer(given: Answer): Decided {
  return { kind: "answer", answer: given };
}

/** Parses a denial. A reply that begins with a word such as "no" denies, and the rest is the reason. */
function parseRefusal(text: string): { text?: string } | undefined {
  const [, plain] = /^no?(?![\p{L}\p{N}'’])[\s\p{P}]*(.*)$/isu.exec(text) ?? [];
  if (plain !== undefined) return plain === "" ? {} : { text: plain };
  if (!REFUSAL.test(text)) return undefined;
  return /\s/.test(text) ? { text } : {};
}

const REFUSAL =
  /^(nope|nah|not|never|none|nothing|don['’]?t|do not|deny|denied|refuse|reject|stop|cancel)(?![\p{L}\p{N}])/iu;
