import { keyComment } from "./comments.mjs";

/** Returns every innermost key of a schema, except `$schema`, with its path, its type as text, and its comment. */
export function keysOf(schema, source, path = "") {
  const { def } = bare(schema);
  switch (def.type) {
    case "object":
      return Object.entries(def.shape)
        .filter(([name]) => name !== "$schema")
        .flatMap(([name, value]) => keyRows(name, value, source, path));
    case "record":
      return keysOf(def.valueType, source, `${path}.NAME`);
    case "array":
      return keysOf(def.element, source, `${path}[]`);
    default:
      return [];
  }
}

function keyRows(name, schema, source, path) {
  const key = path === "" ? name : `${path}.${name}`;
  const own = { key, type: inWords(schema), comment: keyComment(source, name) ?? "" };
  const below = keysOf(schema, source, key);
  return below.length > 0 ? below : [own];
}

/** Returns the schema without its optional and default wrappers. */
function bare(schema) {
  const { type, innerType } = schema.def;
  return type === "optional" || type === "default" ? bare(innerType) : schema;
}

function inWords(schema) {
  const { def } = bare(schema);
  switch (def.type) {
    case "enum":
      return Object.values(def.entries)
        .map((value) => `\`${value}\``)
        .join(", ");
    case "array":
      return `list of ${inWords(def.element)}`;
    case "record":
      return "object";
    case "union":
      return [...new Set(def.options.map(inWords))].join(" or ");
    case "object":
      return `{ ${Object.keys(def.shape).join(", ")} }`;
    default:
      return def.type;
  }
}
