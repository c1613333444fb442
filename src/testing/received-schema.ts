import { isRecord } from "../wire/is-record.ts";

/**
 * Returns the JSON Schema that a model request requires for the answer: as the response format, or as a tool's input.
 * Returns undefined if the request requires none.
 */
export function schemaIn(body: unknown): unknown {
  const format = at(body, "text", "format", "schema");
  const chat = at(body, "response_format", "json_schema", "schema");
  return format ?? chat ?? toolSchemaIn(at(body, "tools"));
}

/** Returns the input schema of the tool `StructuredOutput`, or undefined if the request does not offer that tool. */
function toolSchemaIn(tools: unknown): unknown {
  if (!Array.isArray(tools)) return undefined;
  for (const tool of tools) {
    const definition = at(tool, "function") ?? tool;
    if (at(definition, "name") !== "StructuredOutput") continue;
    return at(definition, "parameters") ?? at(definition, "input_schema");
  }
  return undefined;
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((part, name) => (isRecord(part) ? part[name] : undefined), value);
}
