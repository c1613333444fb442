import { toolArgument } from "../../schema/tool-argument.ts";
import { cleanText } from "../text/clean.ts";

/** Returns the most important argument of a tool call without control characters. */
export function mainArgument(input: unknown): string {
  return cleanText(toolArgument(input));
}

/** Returns the file of a tool call, or an empty string if the input names no file or several files. */
export function filePath(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const [path, ...others] = fileNames.flatMap((name) => Reflect.get(input, name) ?? []);
  return typeof path === "string" && others.length === 0 ? path : "";
}

const fileNames = ["path", "file_path", "filePath", "file"];
