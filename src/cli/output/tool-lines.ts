import type { ToolCallEvent, ToolResultEvent } from "../../schema/event.ts";
import { cleanText, hasInvisible } from "./clean.ts";
import type { Colors } from "./colors.ts";
import { displayWidth, shorten } from "./display-width.ts";
import { diffColor } from "./input-lines.ts";
import { essence } from "./tool-input.ts";

export interface LineStyle {
  readonly colors: Colors;
  readonly columns: number;
}

/** `→ bash npm test` */
export function callLine({ name, input }: ToolCallEvent, { colors, columns }: LineStyle): string {
  const [first = "", ...rest] = essence(input).trim().split("\n");
  const more = rest.length > 0 ? ` (+${rest.length} lines)` : "";
  const words = [`${colors.cyan("→")} ${colors.bold(name)}`];
  if (first !== "") words.push(shorten(first, columns - displayWidth(name) - more.length - 3));
  return `${words.join(" ")}${more && colors.dim(more)}`;
}

/** True if that line leaves nothing out. */
export function isShownWhole(call: ToolCallEvent, style: LineStyle): boolean {
  const { input } = call;
  if (typeof input !== "object" || input === null) return false;
  const [value, ...others] = Object.values(input);
  if (typeof value !== "string" || others.length > 0 || hasInvisible(value)) return false;
  return !/…$|\(\+\d+ lines\)/.test(callLine(call, style));
}

/** What came of it, in a few lines. */
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
  return excerpt(lines, { first: 3, last: 2 }).map((line) => margined(line, style, colors.dim));
}

function failureLines(result: ToolResultEvent, style: LineStyle): string[] {
  const { red } = style.colors;
  const status = result.exitCode === undefined ? "failed" : `exit code ${result.exitCode}`;
  const lines = excerpt(linesOf(result.output), { first: 1, last: 6 });
  return [red(`  ✗ ${status}`), ...lines.map((line) => margined(line, style, red))];
}

function diffColors(diff: string, style: LineStyle): string[] {
  const { colors } = style;
  const lines = linesOf(diff).filter((line) => !/^(---|\+\+\+) /.test(line));
  return excerpt(lines, { first: 12, last: 3 }).map((line) =>
    margined(line, style, diffColor(line, colors)),
  );
}

/** The first and the last lines, and how many were left out between them. */
function excerpt(lines: string[], { first, last }: { first: number; last: number }): string[] {
  const left = lines.length - first - last;
  if (left <= 1) return lines;
  return [...lines.slice(0, first), `… ${left} more lines`, ...lines.slice(-last)];
}

function linesOf(text: string): string[] {
  const lines = cleanText(text).replaceAll("\t", "  ").split("\n");
  return lines.map((line) => line.trimEnd()).filter((line) => line !== "");
}

function margined(line: string, { columns }: LineStyle, paint: (text: string) => string): string {
  return paint(`  ${shorten(line, columns - 2)}`);
}

function plural(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? "" : "s"}`;
}
