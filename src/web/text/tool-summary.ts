import type { ToolKind } from "../../schema/permission.ts";
import { cleanText, firstLine } from "./clean.ts";

/** A tool as the log describes it. */
export interface NamedTool {
  readonly name: string;
  readonly kind: ToolKind;
  readonly input: unknown;
}

/** Returns the most important argument of a tool call: its command, path or pattern. Falls back to JSON. */
export function mainArgument(input: unknown): string {
  if (typeof input === "string") return cleanText(input);
  if (typeof input !== "object" || input === null) return "";
  for (const key of argumentNames) {
    const value: unknown = Reflect.get(input, key);
    if (typeof value === "string" && value !== "") return cleanText(value);
    if (Array.isArray(value) && value.length > 0) return cleanText(value.join(" "));
  }
  const json = JSON.stringify(input);
  return json === "{}" ? "" : cleanText(json);
}

/** Returns the verb of a tool: what it does in one word. */
export function verbOf({ name, kind }: Pick<NamedTool, "name" | "kind">): string {
  switch (kind) {
    case "execute":
      return "run";
    case "read":
      return "read";
    case "edit":
      return /write|create/i.test(name) ? "write" : "edit";
    case "search":
      return "search";
    case "fetch":
      return "fetch";
    case "other":
      return name;
  }
}

/** Describes a running tool in a few words: `Running npm test`, `Editing src/a.ts`. */
export function describeTool(tool: NamedTool): string {
  const subject = shortPath(firstLine(mainArgument(tool.input)), tool.kind);
  return `${present[tool.kind] ?? tool.name} ${subject}`.trim();
}

/** Shortens a path to its last two parts, for one line of a list. */
function shortPath(text: string, kind: ToolKind): string {
  if (kind !== "read" && kind !== "edit") return text;
  return text.split("/").slice(-2).join("/");
}

const present: Partial<Record<ToolKind, string>> = {
  execute: "Running",
  read: "Reading",
  edit: "Editing",
  search: "Searching",
  fetch: "Fetching",
};

/** The argument names of runtimes, the most important first. */
const argumentNames = [
  "command",
  "cmd",
  "path",
  "file_path",
  "filePath",
  "file",
  "pattern",
  "query",
  "url",
  "prompt",
  "description",
];
