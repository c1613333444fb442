import { readFileSync } from "node:fs";

/** Reads a built declaration, or the source of a built module, because modules in dist/ have no comments. */
export function readBuilt(path) {
  const file = path.endsWith(".js") ? `src/${path.replace(/js$/, "ts")}` : `dist/${path}`;
  return readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
}

/** Returns the comment above `export … name` on one line, without its `@example`. */
export function commentOf(source, name) {
  const declaration = String.raw`export (?:declare )?(?:abstract )?(?:class|const|function\*?|async function\*?|interface|type) ${name}\b`;
  return lastComment(new RegExp(`${comment}(?:${declaration})`), source)?.replace(
    / @example .*/,
    "",
  );
}

/** Returns the comment above a field, or above a value of an enum, within `export const name = …`. */
export function fieldComment(source, name, field) {
  const start = source.indexOf(`export const ${name} = `);
  const body = source.slice(start, source.indexOf("\n});", start) + 1 || undefined);
  return lastComment(new RegExp(`${comment}(?:${field}:|"${field}",)`), body);
}

/** Returns the kind of a declaration: class, function, interface, type, schema or value. */
export function kindOf(source, name) {
  const pattern = String.raw`export (?:declare )?(class|const|function|interface|type) ${name}\b(: z\.Zod|: \()?`;
  const [, kind = "", type] = new RegExp(pattern).exec(source) ?? [];
  if (kind !== "const") return kind;
  if (type === undefined) return "value";
  return type === ": (" ? "function" : "schema";
}

const comment = String.raw`/\*\*((?:(?!\*/)[\s\S])*)\*/\s*`;

function lastComment(pattern, source) {
  const text = pattern.exec(source)?.[1];
  return text
    ?.split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trim())
    .join(" ")
    .trim();
}

/** Returns the first comment above a key with that name, anywhere in the file. */
export function keyComment(source, key) {
  return lastComment(new RegExp(`${comment}(?:"?${key.replace("$", "\\$")}"?:)`), source);
}
