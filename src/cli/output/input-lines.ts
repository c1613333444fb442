import { findReplacement, isDiffField, type TextReplacement } from "../../schema/tool-edit.ts";
import { visibleText } from "../text/clean.ts";
import type { Colors } from "../text/colors.ts";

/**
 * Formats the whole input of a tool, so that the user can decide whether to allow the call. Each field has its own line.
 * An edit is shown as removed and added lines, and a diff in colors. Invisible characters are written as escapes.
 */
export function inputLines(input: unknown, colors: Colors): string[] {
  const only = typeof input === "object" && input !== null ? Object.values(input) : [input];
  const [value] = only;
  if (only.length === 1 && typeof value === "string") return textLines(value, colors.yellow);
  return fieldLines(input, colors);
}

function fieldLines(input: unknown, colors: Colors): string[] {
  if (typeof input !== "object" || input === null) return textLines(asText(input), colors.yellow);
  if (Array.isArray(input) && input.length === 1) return fieldLines(input[0], colors);
  const edit = findReplacement(input);
  const shown = Object.entries(input).filter(([name]) => !edit?.names.includes(name));
  return [
    ...shown.flatMap(([name, value]) => namedLines(visibleText(name), value, colors)),
    ...(edit ? changeLines(edit, colors) : []),
  ];
}

function namedLines(name: string, value: unknown, colors: Colors): string[] {
  const title = colors.yellow(`${name}:`);
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0)
    return [title, ...fieldLines(value, colors).map(indent)];
  const text = asText(value);
  if (!text.includes("\n")) return [colors.yellow(`${name}: ${visibleText(text)}`)];
  const lines = isDiffField(name, text) ? diffLines(text, colors) : textLines(text, colors.yellow);
  return [title, ...lines.map(indent)];
}

/** Colors the lines of a unified diff. Invisible characters are written as escapes. */
export function diffLines(diff: string, colors: Colors): string[] {
  return splitLines(diff).map((line) => diffColor(line, colors)(line));
}

/** Returns the color of a line of a unified diff. */
export function diffColor(line: string, colors: Colors): (text: string) => string {
  if (line.startsWith("+")) return colors.green;
  if (line.startsWith("-")) return colors.red;
  return line.startsWith("@@") ? colors.cyan : colors.dim;
}

function changeLines({ before, after }: TextReplacement, colors: Colors): string[] {
  const removed = before === "" ? [] : splitLines(before).map((line) => `- ${line}`);
  const added = after === "" ? [] : splitLines(after).map((line) => `+ ${line}`);
  return [...removed.map(colors.red), ...added.map(colors.green)];
}

function textLines(text: string, paint: (line: string) => string): string[] {
  return splitLines(text).map(paint);
}

function splitLines(text: string): string[] {
  return visibleText(text).replaceAll("\t", "  ").replace(/\n$/, "").split("\n");
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

const indent = (line: string): string => `  ${line}`;
