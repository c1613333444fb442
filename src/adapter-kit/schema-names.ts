import type { SchemaChanges } from "../schema/runtimes/schema-changes.ts";
import { isRecord } from "../wire/is-record.ts";

/** Returns the methods of a JSON-RPC schema and the fields of their parameters: `turn/start`, `turn/start.input`. */
export function methodNames(schema: unknown): string[] {
  const { oneOf = [], definitions = {} } = isRecord(schema) ? schema : {};
  if (!Array.isArray(oneOf)) return [];
  return oneOf.flatMap((message) => {
    const methods = at(message, "properties", "method", "enum");
    const reference = at(message, "properties", "params", "$ref");
    const params = typeof reference === "string" ? at(definitions, lastPart(reference)) : undefined;
    const fields = Object.keys(Object(at(params, "properties")));
    return (Array.isArray(methods) ? methods : []).flatMap((method) => [
      String(method),
      ...fields.map((field) => `${method}.${field}`),
    ]);
  });
}

/**
 * Returns the operations of an OpenAPI document and the fields of its events: `POST /session`,
 * `session.idle.sessionID`.
 */
export function operationNames(document: unknown): string[] {
  const paths = Object.entries(Object(at(document, "paths")));
  const operations = paths.flatMap(([path, methods]) =>
    Object.keys(Object(methods)).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const schemas = Object.values(Object(at(document, "components", "schemas")));
  const events = schemas.flatMap((schema) => {
    const [type] = [at(schema, "properties", "type", "enum")].flat();
    const properties = at(schema, "properties", "properties", "properties");
    if (typeof type !== "string" || !isRecord(properties)) return [];
    return [type, ...Object.keys(properties).map((field) => `${type}.${field}`)];
  });
  return [...operations, ...events];
}

/**
 * Returns the names that a schema adds to and removes from the tested version's names. `tested` contains one name per
 * line.
 */
export function compareNames(tested: string, present: readonly string[]): SchemaChanges {
  const before = new Set(tested.split("\n"));
  const after = new Set(present);
  return {
    added: [...after].filter((name) => !before.has(name)).sort(),
    removed: [...before].filter((name) => !after.has(name)).sort(),
  };
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((part, name) => (isRecord(part) ? part[name] : undefined), value);
}

function lastPart(reference: string): string {
  return reference.split("/").at(-1) ?? "";
}
