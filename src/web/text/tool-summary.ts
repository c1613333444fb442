import type { ToolKind } from "../../schema/permission.ts";
import { toolArgument } from "../../schema/tool-argument.ts";
import { cleanText, firstLine } from "./clean.ts";

/** A tool call: the tool's name and kind, and the input of the call. */
export interface NamedTool {
  readonly name: string;
  readonly kind: ToolKind;
  readonly input: unknown;
}

/** Returns a tool call's most important argument, without control characters. */
export function mainArgument(input: unknown): string {
  return cleanText(toolArgument(input));
}

/** Returns a verb that describes what the tool does, or the tool's name if its kind is `other`. */
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

/** Shortens the path of a read or an edit to its last two parts. */
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
