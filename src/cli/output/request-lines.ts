import type { RequestEvent } from "../../schema/event.ts";
import { cleanText } from "./clean.ts";
import type { Colors } from "./colors.ts";

/** What is asked, so that nobody allows what they cannot see: a command is shown whole, a long text by its beginning. */
export function requestLines({ text, tool }: RequestEvent, colors: Colors): string[] {
  const words = cleanText(text).trim().split("\n");
  if (!tool) return asked(words, colors);
  const says = text.includes(JSON.stringify(tool.input)) ? [`May ${tool.name} run?`] : words;
  return [...asked(says, colors), ...inputLines(tool.input).map((line) => colors.yellow(line))];
}

function asked([first = "", ...rest]: readonly string[], colors: Colors): string[] {
  return [`${colors.yellow("?")} ${colors.bold(first)}`, ...rest.map((line) => `  ${line}`)];
}

function inputLines(input: unknown): string[] {
  if (typeof input !== "object" || input === null) return indent(asText(input), "  ");
  const fields = Object.entries(input);
  if (fields.length === 1 && typeof fields[0]?.[1] === "string") return indent(fields[0][1], "  ");
  return fields.flatMap(([name, value]) => {
    const text = asText(value);
    if (!text.includes("\n")) return indent(`${name}: ${text}`, "  ");
    return [`  ${name}:`, ...beginning(indent(text, "    "))];
  });
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function indent(text: string, margin: string): string[] {
  return cleanText(text)
    .trimEnd()
    .split("\n")
    .map((line) => `${margin}${line}`);
}

function beginning(lines: string[]): string[] {
  if (lines.length <= MANY_LINES + 1) return lines;
  return [...lines.slice(0, MANY_LINES), `    … ${lines.length - MANY_LINES} more lines`];
}

const MANY_LINES = 15;
