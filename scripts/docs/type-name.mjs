/** Returns the type of a schema as text. `named` lists the schemas that have their own heading. */
export function typeName(schema, schemas, named) {
  if (schema.def.type === "optional") {
    return { ...typeName(schema.def.innerType, schemas, named), isOptional: true };
  }
  return { type: inWords(schema, schemas, named), isOptional: false };
}

function inWords(schema, schemas, named) {
  const name = named.find((candidate) => schemas[candidate] === schema);
  if (name) return `[${name}](#${name.toLowerCase()})`;
  if (schema === schemas.SystemSubtype) return "see below";
  if (schema === schemas.ErrorCode) return "[error code](errors.md)";
  const { def } = schema;
  switch (def.type) {
    case "string":
      return def.format === "datetime" ? "ISO 8601 time in UTC" : "string";
    case "number":
      return def.checks?.some(({ _zod }) => _zod.def.format === "safeint") ? "integer" : "number";
    case "enum":
      return Object.values(def.entries)
        .map((value) => `\`${value}\``)
        .join(", ");
    case "array":
      return `list of ${inWords(def.element, schemas, named)}`;
    case "template_literal":
      return `\`${def.parts[0]}…\``;
    case "object":
      return `{ ${Object.keys(def.shape).join(", ")} }`;
    case "record":
      return "object";
    case "unknown":
      return "any value";
    default:
      return def.type;
  }
}
