import type { RequestEvent } from "../../schema/event.ts";
import type { Answer } from "../../schema/permission.ts";

/** What a typed reply means. */
export type Reply = Decided | { readonly kind: "explain" };

/** A reply that settles a request. */
export interface Decided {
  readonly kind: "answer";
  readonly answer: Answer;
}

/**
 * Parses a reply: `y`, `n`, `n REASON`, `a`, `e`, the number of an option, or the words that answer a question. Returns
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

/** True if a number chooses one of the request's own options: yes and no alone need none. */
export function offersChoice({ kind, options }: RequestEvent): boolean {
  const ways = options.filter(({ rule }) => rule === undefined);
  return kind === "question" ? ways.length > 0 : ways.length > 2;
}

/** The option with that number, label or id. */
export function chooseOption({ options }: RequestEvent, text: string) {
  if (/^\d+$/.test(text)) return options[Number(text) - 1];
  return options.find(({ id, label }) => text === id || text === label);
}

/** The first option with that decision that makes no rule, because some runtimes require one of their own. */
export function decide(request: RequestEvent, decision: Answer["decision"]): Answer {
  const ways = request.options.filter(({ rule }) => rule === undefined);
  const option = ways.find((candidate) => candidate.decision === decision);
  return { decision, ...(option && { optionId: option.id }) };
}

/** Allows this and all that the rule covers that goes with the option. */
function lastingAnswer({ options }: RequestEvent): Decided | undefined {
  const option = options.find(({ rule }) => rule !== undefined);
  return option && answer({ decision: "allow", optionId: option.id });
}

function answer(given: Answer): Decided {
  return { kind: "answer", answer: given };
}

/** A reply that begins with a refusal is one, whatever follows: the rest is the reason. */
function parseRefusal(text: string): { text?: string } | undefined {
  const [, plain] = /^no?(?![\p{L}\p{N}'’])[\s\p{P}]*(.*)$/isu.exec(text) ?? [];
  if (plain !== undefined) return plain === "" ? {} : { text: plain };
  if (!REFUSAL.test(text)) return undefined;
  return /\s/.test(text) ? { text } : {};
}

const REFUSAL =
  /^(nope|nah|not|never|none|nothing|don['’]?t|do not|deny|denied|refuse|reject|stop|cancel)(?![\p{L}\p{N}])/iu;
