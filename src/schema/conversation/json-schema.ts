import { z } from "zod";

/** The maximum size of a JSON Schema in characters. For most runtimes, the schema becomes part of the message. */
export const SCHEMA_CHARACTERS = 100_000;

/** A JSON Schema, draft 7 or 2020-12. */
export const JsonSchema = z
  .record(z.string(), z.unknown())
  .refine(
    (schema) => JSON.stringify(schema).length <= SCHEMA_CHARACTERS,
    "the schema is larger than 100,000 characters",
  );
export type JsonSchema = z.infer<typeof JsonSchema>;

/** Appends a request for a JSON answer to a message, for a runtime without structured output. */
export function withSchema(text: string, schema: JsonSchema): string {
  return `${text}\n\nYour last message must be one JSON value and nothing else: no code fence, no explanation. It must match this JSON Schema:\n${JSON.stringify(schema)}`;
}
