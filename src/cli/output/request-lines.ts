import type { RequestEvent } from "../../schema/event.ts";
import { visibleText } from "./clean.ts";
import type { Colors } from "./colors.ts";
import { inputLines } from "./input-lines.ts";
import { offersChoice } from "./reply.ts";

export interface RequestLinesOptions {
  /** The line above shows the tool's input already. */
  readonly isShown?: boolean;
}

/** The request in full, because a person decides about what they see, and the options that have a number. */
export function requestLines(
  request: RequestEvent,
  colors: Colors,
  { isShown = false }: RequestLinesOptions = {},
): string[] {
  const { text, tool } = request;
  const words = visibleText(text).trim().split("\n");
  const isRepeated = tool && text.includes(JSON.stringify(tool.input));
  const title = isRepeated ? [`May ${visibleText(tool.name)} run?`] : words;
  const input = tool && !isShown ? inputLines(tool.input, colors) : [];
  const reason = request.reason ? [colors.yellow(visibleText(request.reason))] : [];
  const choices = [...optionLines(request, colors), ...ruleLines(request, colors)];
  const details = [...input, ...reason, ...choices];
  return [...asked(title, colors), ...details.map((line) => `  ${line}`)];
}

/** The scope of an "always", if it is too long to stand in the prompt. */
function ruleLines(request: RequestEvent, colors: Colors): string[] {
  const scope = alwaysScope(request);
  return scope.length > LONGEST_INLINE ? [`${colors.bold("a")} always ${scope}`] : [];
}

/** A longer scope of an "always" has a line above the prompt. */
export const LONGEST_INLINE = 30;

/** The requests that an "always" covers; empty if the request offers none. */
export function alwaysScope({ options }: RequestEvent): string {
  return visibleText(options.find(({ rule }) => rule)?.rule?.text ?? "");
}

function optionLines(request: RequestEvent, colors: Colors): string[] {
  if (!offersChoice(request)) return [];
  return request.options.map(
    ({ label }, index) => `${colors.bold(String(index + 1))} ${visibleText(label)}`,
  );
}

function asked([first = "", ...rest]: readonly string[], colors: Colors): string[] {
  return [`${colors.yellow("?")} ${colors.bold(first)}`, ...rest.map((line) => `  ${line}`)];
}
