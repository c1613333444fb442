import { cleanText } from "./clean.ts";

/** What a tool call is about, in a few words: its command, its path, its pattern. */
export function essence(input: unknown): string {
  if (typeof input === "string") return cleanText(input);
  if (typeof input !== "object" || input === null) return "";
  for (const key of telling) {
    const value: unknown = Reflect.get(input, key);
    if (typeof value === "string" && value !== "") return cleanText(value);
    if (Array.isArray(value) && value.length > 0) return cleanText(value.join(" "));
  }
  const json = JSON.stringify(input);
  return json === "{}" ? "" : cleanText(json);
}

/** The names under which runtimes give what matters, the most telling first. */
const telling = [
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
