import { cleanText } from "../text/clean.ts";

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

/** Returns the file of a tool call, or an empty string if the input names none or more than one. */
export function filePath(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const [path, ...others] = fileNames.flatMap((name) => Reflect.get(input, name) ?? []);
  return typeof path === "string" && others.length === 0 ? path : "";
}

const fileNames = ["path", "file_path", "filePath", "file"];
