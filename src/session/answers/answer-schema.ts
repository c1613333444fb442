import { createRequire } from "node:module";
import type { Validator } from "@cfworker/json-schema";
import { HalyardError, reasonOf } from "../../errors/error.ts";
import { sentence } from "../../errors/sentence.ts";
import type { JsonSchema } from "../../schema/conversation/json-schema.ts";

/** Validates JSON values against the schema of a message. */
export interface AnswerSchema {
  readonly schema: JsonSchema;
  /** Returns at most ten problems with a value. An empty list means that the value matches. */
  problemsOf(value: unknown): readonly string[];
}

/** Compiles the schema of a message. Throws `invalid_input` if the schema is not a valid JSON Schema. */
export function readAnswerSchema(schema: JsonSchema): AnswerSchema {
  requireKnownTypes(schema, "schema");
  const draft = String(schema.$schema ?? "").includes("draft-07") ? "7" : "2020-12";
  try {
    const { Validator } = loadValidator();
    const validator = new Validator(schema, draft, false);
    validator.validate(null); // throws if a reference in the schema cannot be resolved
    return { schema, problemsOf: (value) => problemsOf(validator, value) };
  } catch (cause) {
    const [reason] = reasonOf(cause).split("\n");
    const message = `schema: ${sentence(reason ?? "")} Pass a valid JSON Schema.`;
    throw new HalyardError("invalid_input", message, { cause });
  }
}

const require = createRequire(import.meta.url);

/** Loads the validator on first use, because most sessions have no message with a schema. */
function loadValidator(): typeof import("@cfworker/json-schema") {
  return require("@cfworker/json-schema");
}

const PROBLEMS = 10;

function problemsOf(validator: Validator, value: unknown): string[] {
  const { errors } = validator.validate(value);
  const causes = errors.filter(({ keyword }) => !summaries.has(keyword));
  return (causes.length > 0 ? causes : errors)
    .slice(0, PROBLEMS)
    .map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
}

/** Keywords whose errors only repeat an error of a subschema or, for `false`, of the enclosing schema. */
const summaries: ReadonlySet<string> = new Set(["properties", "items", "false", "$ref", "allOf"]);

const types = ["string", "number", "integer", "boolean", "object", "array", "null"];

/**
 * Throws `invalid_input` if a type is not a JSON Schema type. Without this check, the validator would reject every answer,
 * and each attempt would cost a model request.
 */
function requireKnownTypes(schema: unknown, path: string): void {
  if (typeof schema !== "object" || schema === null) return;
  for (const [name, part] of Object.entries(schema)) {
    if (name === "type" && !Array.isArray(schema)) requireType(part, path);
    if (lists.has(name)) for (const [key, one] of entriesOf(part)) visit(one, `${path}.${key}`);
    if (singles.has(name)) visit(part, `${path}.${name}`);
  }
}

const visit = requireKnownTypes;

/** Keywords whose value contains several schemas (`lists`), and keywords whose value is one schema (`singles`). */
const lists = new Set(["properties", "$defs", "definitions", "anyOf", "oneOf", "allOf"]);
const singles = new Set(["items", "additionalProperties", "not", "contains"]);

function entriesOf(part: unknown): [string, unknown][] {
  return typeof part === "object" && part !== null ? Object.entries(part) : [];
}

function requireType(type: unknown, path: string): void {
  for (const one of Array.isArray(type) ? type : [type]) {
    if (types.includes(String(one))) continue;
    const message = `${path}.type: ${one} is not one of ${types.join(", ")}. Correct the type.`;
    throw new HalyardError("invalid_input", message);
  }
}
