import type { ToolCallEvent, ToolResultEvent } from "../../schema/event.ts";
import { cleanText, hasInvisible } from "../text/clean.ts";
import type { Colors } from "../text/colors.ts";
import { displayWidth, shorten } from "../text/display-width.ts";
import { plural } from "../text/format.ts";
import { diffColor } from "./input-lines.ts";
import { mainArgument } from "./tool-input.ts";

export interface LineStyle {
  readonly colors: Colors;
  readonly columns: number;
}

/** Formats a tool call on one line: `→ bash npm test`. */
export function callLine({ name, input }: ToolCallEvent, { colors, columns }: LineStyle): string {
  const [first = "", ...rest] = mainArgument(input).trim().split("\n");
  const more = rest.length > 0 ? ` (+${rest.length} lines)` : "";
  const parts = [`${colors.cyan("→")} ${colors.bold(name)}`];
  if (first !== "" && first !== name)
    parts.push(shorten(first, columns - displayWidth(name) - more.length - 3));
  return `${parts.join(" ")}${more && colors.dim(more)}`;
}

/** True if `callLine` shows the whole input. */
export function isShownInFull(call: ToolCallEvent, style: LineStyle): boolean {
  const { input } = call;
  if (typeof input !== "object" || input === null) return false;
  const [value, ...others] = Object.values(input);
  if (typeof value !== "string" || others.length > 0 || hasInvisible(value)) return false;
  return !/…$|\(\+\d+ lines\)/.test(callLine(call, style));
}

/** Formats an excerpt of a tool's error, diff or output. For a tool that reads, formats only the number of lines. */
export function resultLines(
  result: ToolResultEvent,
  call: ToolCallEvent | undefined,
  style: LineStyle,
): string[] {
  const { colors } = style;
  if (result.isError) return failureLines(result, style);
  if (result.diff) return diffColors(result.diff, style);
  const lines = linesOf(result.output);
  if (call?.kind === "read") return [colors.dim(`  ${plural(lines.length, "line")}`)];
  return excerpt(lines, { first: 3, last: 2 }).map((line) => indented(line, style, colors.dim));
}

function failureLines(result: ToolResultEvent, style: LineStyle): string[] {
  const { red } = style.colors;
  const status = result.exitCode === undefined ? "failed" : `exit code ${result.exitCode}`;
  const lines = excerpt(linesOf(result.output), { first: 1, last: 6 });
  return [red(`  ✗ ${status}`), ...lines.map((line) => indented(line, style, red))];
}

function diffColors(diff: string, style: LineStyle): string[] {
  const { colors } = style;
  const lines = linesOf(diff).filter((line) => !/^(---|\+\+\+) /.test(line));
  return excerpt(lines, { first: 12, last: 3 }).map((line) =>
    indented(line, style, diffColor(line, colors)),
  );
}

/** Returns the first and the last lines, and a line with the number of omitted lines between them. */
function excerpt(lines: string[], { first, last }: { first: number; last: number }): string[] {
  const omitted = lines.length - first - last;
  if (omitted <= 1) return lines;
  return [...lines.slice(0, first), `… ${omitted} more lines`, ...lines.slice(-last)];
}

function linesOf(text: string): string[] {
  const lines = cleanText(text).replaceAll("\t", "  ").split("\n");
  return lines.map((line) => line.trimEnd()).filter((line) => line !== "");
}

function indented(line: string, { columns }: LineStyle, paint: (text: string) => string): string {
  return paint(`  ${shorten(line, columns - 2)}`);
}
