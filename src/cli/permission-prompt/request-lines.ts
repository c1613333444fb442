import type { RequestEvent } from "../../schema/event.ts";
import { inputLines } from "../output/input-lines.ts";
import { filePath } from "../output/tool-input.ts";
import { visibleText } from "../text/clean.ts";
import type { Colors } from "../text/colors.ts";
import { offersChoice } from "./reply.ts";

export interface RequestLinesOptions {
  /** True if the line above already shows the tool's input. Defaults to false. */
  readonly isShown?: boolean;
}

/**
 * Formats a request in full, with its numbered options. The text is not truncated, because the user decides based on
 * it.
 */
export function requestLines(
  request: RequestEvent,
  colors: Colors,
  { isShown = false }: RequestLinesOptions = {},
): string[] {
  const { text, tool } = request;
  const isGeneric = tool && text.includes(JSON.stringify(tool.input));
  const title = isGeneric ? [question(tool)] : visibleText(text).trim().split("\n");
  const input = tool && !isShown ? inputLines(tool.input, colors) : [];
  const reason = request.reason ? [colors.yellow(visibleText(request.reason))] : [];
  const choices = [...optionLines(request, colors), ...ruleLines(request, colors)];
  const details = [...input, ...reason, ...choices];
  return [...titleLines(title, colors), ...details.map((line) => `  ${line}`)];
}

/** Returns the question for a tool: `Allow edit of src/a.ts?`, `Allow this bash command?`, `Allow search?` */
function question({ name, kind, input }: NonNullable<RequestEvent["tool"]>): string {
  const tool = visibleText(name);
  if (kind === "execute") return `Allow this ${tool} command?`;
  const path = kind === "edit" ? filePath(input) : "";
  const isShort = path !== "" && path.length <= LONGEST_PATH && !path.includes("\n");
  return isShort ? `Allow ${tool} of ${visibleText(path)}?` : `Allow ${tool}?`;
}

/** The maximum length of a path in the question. The tool input, which is also shown, contains the full path. */
const LONGEST_PATH = 60;

/** Returns a line with the scope of "always" if it is too long for the prompt. */
function ruleLines(request: RequestEvent, colors: Colors): string[] {
  const scope = alwaysScope(request);
  return scope.length > LONGEST_INLINE ? [`${colors.bold("a")} always: ${scope}`] : [];
}

/** The maximum length of the "always" scope in the prompt. A longer scope has its own line above. */
export const LONGEST_INLINE = 30;

/** Describes the requests that "always" covers. Returns an empty string if the request does not offer "always". */
export function alwaysScope({ options }: RequestEvent): string {
  return visibleText(options.find(({ rule }) => rule)?.rule?.text ?? "");
}

function optionLines(request: RequestEvent, colors: Colors): string[] {
  if (!offersChoice(request)) return [];
  return request.options.map(
    ({ label }, index) => `${colors.bold(String(index + 1))} ${visibleText(label)}`,
  );
}

function titleLines([first = "", ...rest]: readonly string[], colors: Colors): string[] {
  return [`${colors.yellow("?")} ${colors.bold(first)}`, ...rest.map((line) => `  ${line}`)];
}
