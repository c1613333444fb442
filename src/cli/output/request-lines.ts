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
  const details = [...input, ...reason, ...optionLines(request, colors)];
  return [...asked(title, colors), ...details.map((line) => `  ${line}`)];
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
