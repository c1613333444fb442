import type { RequestEvent } from "../../schema/event.ts";
import type { Answer } from "../../schema/permission.ts";
import { type AskOptions, askLine } from "../console/ask-line.ts";
import { visibleText } from "../text/clean.ts";
import type { Colors } from "../text/colors.ts";
import { formatDuration } from "../text/format.ts";
import { answerCommands } from "./answer-commands.ts";
import { type Decided, offersChoice, parseReply } from "./reply.ts";
import { alwaysScope, LONGEST_INLINE } from "./request-lines.ts";

export interface PromptOptions extends AskOptions {
  readonly colors: Colors;
  /** Aborted to cancel the question, for example because the request was answered elsewhere. */
  readonly signal: AbortSignal;
}

/**
 * Asks on the console until the reply is unambiguous. Denies the request if the console is closed. Returns undefined if
 * the question was cancelled.
 */
export async function promptPermission(
  request: RequestEvent,
  options: PromptOptions,
): Promise<Decided | undefined> {
  const { signal, output, colors } = options;
  while (!signal.aborted) {
    const line = await askLine(`  ${promptFor(request, colors)} `, options);
    if (line === undefined) return signal.aborted ? undefined : closed;
    const reply = parseReply(line, request);
    if (reply?.kind === "answer") return reply;
    const hint = reply ? explain(request, colors) : [unclear(request, colors)];
    output.write(`${hint.map((text) => `  ${text}`).join("\n")}\n`);
  }
  return undefined;
}

/** Returns the prompt on one line, with the accepted replies and the remaining time. */
export function promptFor(request: RequestEvent, { bold, dim }: Colors): string {
  const { kind, options, expiresAt } = request;
  const leftMs = expiresAt === undefined ? undefined : Date.parse(expiresAt) - Date.now();
  const left =
    leftMs === undefined ? "" : ` ${dim(`(denied in ${formatDuration(Math.max(0, leftMs))})`)}`;
  const numbers = offersChoice(request) ? `1–${options.length}` : "";
  if (kind === "question")
    return `${numbers && `${bold(numbers)} or your own text`}${left} ${dim("›")}`.trimStart();
  const letters = [`[${bold("y")}]es`, `[${bold("n")}]o`];
  const scope = alwaysScope(request);
  const inline = scope.length > LONGEST_INLINE ? "" : ` ${scope}`;
  if (scope) letters.push(`[${bold("a")}]lways${inline}`);
  letters.push(`[${bold("e")}]xplain`, ...(numbers ? [numbers] : []));
  return `allow? ${letters.join(", ")}${left} ${dim("›")}`;
}

/** Returns the hint after an ambiguous reply. */
export function unclear(request: RequestEvent, { yellow }: Colors): string {
  if (request.kind === "question") return yellow("Type an answer.");
  const choice = offersChoice(request) ? ", or the number of an option" : "";
  return yellow(`Unclear reply, nothing was allowed. Type y, or n with a reason${choice}.`);
}

/** Returns all details of a request. */
export function explain(request: RequestEvent, { dim }: Colors): string[] {
  const { tool, options, expiresAt } = request;
  const facts = [
    ...(tool ? [`tool: ${tool.name} (${tool.kind})`] : []),
    ...(tool ? [`input: ${JSON.stringify(tool.input, null, 2)}`] : []),
    ...options.map(({ id, label, decision }) => `option: ${label} (${id}, ${decision})`),
    ...(expiresAt === undefined ? [] : [`denied automatically at: ${expiresAt}`]),
    "to answer from another console:",
    ...answerCommands(request).map((command) => `  ${command}`),
  ];
  return facts.flatMap((fact) => visibleText(fact).split("\n")).map((line) => dim(line));
}

/** The answer if the console was closed. */
const closed: Decided = {
  kind: "answer",
  answer: { decision: "deny", text: "the console was closed" } satisfies Answer,
};
