/**
 * Returns the most important argument of a tool call, such as its command, path or pattern. Falls back to JSON without
 * empty values, and to an empty string if the input has no values. The result comes from an agent and may contain
 * control characters.
 */
export function toolArgument(input: unknown): string {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null) return "";
  for (const key of argumentNames) {
    const value: unknown = Reflect.get(input, key);
    if (typeof value === "string" && value !== "") return value;
    if (Array.isArray(value) && value.length > 0) return value.join(" ");
  }
  const json = JSON.stringify(input, (key, value) =>
    key !== "" && isEmpty(value) ? undefined : value,
  );
  return json === "{}" ? "" : json;
}

function isEmpty(value: unknown): boolean {
  return value === "" || (Array.isArray(value) && value.length === 0);
}

/** The names that runtimes use for these arguments, the most important first. */
const argumentNames = [
  "command",
  "cmd",
  "path",
  "file_path",
  "filePath",
  "file",
  "paths",
  "pattern",
  "query",
  "url",
  "prompt",
  "description",
  "title",
];
