import type { RequestEvent } from "../../schema/event.ts";
import type { Answer } from "../../schema/permission.ts";

/** What somebody typed, understood. */
export interface Reply {
  readonly answer: Answer;
  /** The same holds for this tool from now on. */
  readonly always: boolean;
}

/** `y`, `n`, `n because …`, `a`, an option's number, or the words of an answer; undefined where it says nothing. */
export function parseReply(line: string, request: RequestEvent): Reply | undefined {
  const text = line.trim();
  const option = /^\d+$/.test(text) ? request.options[Number(text) - 1] : undefined;
  if (option) return { answer: { decision: option.decision, optionId: option.id }, always: false };
  if (request.kind === "question")
    return text === "" ? undefined : { answer: { decision: "allow", text }, always: false };
  const [, word = "", reason = ""] = /^(\S+)\s*(.*)$/s.exec(text) ?? [];
  switch (word.toLowerCase()) {
    case "y":
    case "yes":
      return { answer: decide(request, "allow"), always: false };
    case "a":
    case "always":
      return request.tool && { answer: decide(request, "allow"), always: true };
    case "n":
    case "no":
      return {
        answer: { ...decide(request, "deny"), ...(reason && { text: reason }) },
        always: false,
      };
    default:
      return undefined;
  }
}

/** The first option that means it, for runtimes that want to hear one of their own. */
export function decide(request: RequestEvent, decision: Answer["decision"]): Answer {
  const option = request.options.find((candidate) => candidate.decision === decision);
  return { decision, ...(option && { optionId: option.id }) };
}
