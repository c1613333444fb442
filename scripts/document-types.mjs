/**
 * Expands the types that are inferred from schemas in the built declarations, and adds the comments of the schemas'
 * properties. Otherwise an editor shows neither documentation nor readable types for them: the compiler leaves comments
 * out of inferred types, and TypeScript 7 shows none for members of mapped types such as `z.infer` and `Pick`.
 * Runs after each build. The first argument is the output directory; it defaults to dist/.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isTypeAliasDeclaration } from "typescript/unstable/ast/is";
import { API, NodeBuilderFlags, SymbolFlags, TypeFlags } from "typescript/unstable/sync";

const root = fileURLToPath(new URL("../", import.meta.url));
const sources = join(root, "src");
const built = resolve(process.argv[2] ?? join(root, "dist"));
const schemas = readdirSync(join(sources, "schema"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((name) => `schema/${name}`);
const internal = "schema/http/http.ts"; // contains bodies of requests, which no entry point exports
const files = [
  ...schemas.filter((name) => name !== internal),
  "contracts/halyard.ts",
  "contracts/resume-options.ts",
];

const config = join(root, "tsconfig.document-types.json"); // this file exists only in memory
const text = JSON.stringify({
  extends: "./tsconfig.json",
  include: [],
  files: files.map((name) => join(sources, name)),
});
const readFile = (path) => (path === config ? text : undefined);
const fileExists = (path) => (path === config ? true : undefined);
const api = new API({ cwd: root, fs: { readFile, fileExists } });
const snapshot = api.updateSnapshot({ openProjects: [config] });
const project = snapshot.getProject(config);
const { checker, program } = project;

const aliases = files.flatMap((file) =>
  program
    .getSourceFile(join(sources, file))
    .statements.filter(isTypeAliasDeclaration)
    .map((node) => {
      const type = checker.getDeclaredTypeOfSymbol(checker.getSymbolAtLocation(node.name));
      return { file, node, type, name: node.name.text };
    }),
);
const names = new Map(
  aliases
    .filter(({ node, type }) => !node.typeParameters && !(type.flags & TypeFlags.Intrinsic))
    .map((alias) => [alias.type.id, alias]),
);

for (const file of files) {
  const path = join(built, file.replace(/\.ts$/, ".d.ts"));
  const imports = new Map();
  let declarations = readFileSync(path, "utf8");
  for (const { name, type } of aliases.filter((alias) => alias.file === file && isDerived(alias))) {
    const written = print(type, { file, imports, indent: "", isTop: true });
    const declared = `^(export type ${name}\\b(?:<.*>)? = )(?:.*;|[\\s\\S]*?\\n\\}(?:\\[\\])?;)$`;
    declarations = declarations.replace(
      new RegExp(declared, "m"),
      (_, head) => `${head}${written};`,
    );
  }
  for (const [from, imported] of imports) {
    const missing = [...imported].filter(
      (name) => !new RegExp(`^import .*\\b${name}\\b`, "m").test(declarations),
    );
    if (missing.length > 0)
      declarations = `import type { ${missing.join(", ")} } from "${from}";\n${declarations}`;
  }
  writeFileSync(path, declarations);
}
snapshot.dispose();
api.close();

/** True for a type that is derived from another one: `z.infer<…>`, `Pick<…>`, `Readonly<…>`, or a mapped type. */
function isDerived({ node, type }) {
  const source = node.type.getSourceFile().text.slice(node.type.pos, node.type.end).trim();
  return /^(?:z\.|Pick<|Readonly<|\{\s*\[)/.test(source) && !(type.flags & TypeFlags.Intrinsic);
}

function print(type, place) {
  const known = names.get(type.id);
  if (known && !place.isTop) return reference(known, place);
  const inner = { ...place, isTop: false };
  if (type.isUnionType()) return printUnion(type, inner);
  if (checker.isArrayType(type)) {
    const element = print(checker.getTypeArguments(type)[0], inner);
    return / \| /.test(element.replace(/\{[\s\S]*\}/, "{}")) ? `(${element})[]` : `${element}[]`;
  }
  const properties = type.isObjectType() ? checker.getPropertiesOfType(type) : [];
  if (properties.length === 0 || !properties.every(isOurs)) return asText(type);
  const indent = `${place.indent}    `;
  const members = properties.map((property) => {
    const comment = commentOf(property);
    const documentation = comment
      ? `${comment.replace(/\n\s*\*/g, `\n${indent} *`)}\n${indent}`
      : "";
    const isOptional = (property.flags & SymbolFlags.Optional) !== 0;
    const value = print(checker.getTypeOfSymbol(property), { ...inner, indent });
    const rest = isOptional && !/ \| undefined$/.test(value) ? " | undefined" : "";
    return `${indent}${documentation}${property.name}${isOptional ? "?" : ""}: ${value}${rest};\n`;
  });
  const others = checker
    .getIndexInfosOfType(type)
    .map(({ keyType, valueType }) => `${indent}[key: ${asText(keyType)}]: ${asText(valueType)};\n`);
  return `{\n${members.join("")}${others.join("")}${place.indent}}`;
}

function printUnion(type, place) {
  const isUndefined = (part) => (part.flags & TypeFlags.Undefined) !== 0;
  const parts = type.getTypes();
  const end = parts.some(isUndefined) ? " | undefined" : "";
  const [only, ...more] = parts.filter((part) => !isUndefined(part));
  if (more.length === 0) return `${print(only, place)}${end}`;
  const defined = end ? checker.getNonNullableType(type) : type;
  const known = names.get(defined.id);
  if (known && end) return `${reference(known, place)}${end}`;
  if (defined.flags & TypeFlags.Boolean) return `boolean${end}`;
  const texts = defined.getTypes().map((part) => print(part, place));
  const isBoolean = texts.includes("true") && texts.includes("false");
  const merged = isBoolean
    ? ["boolean", ...texts.filter((one) => one !== "true" && one !== "false")]
    : texts;
  return `${merged.join(" | ")}${end}`;
}

function reference({ name, file }, place) {
  if (file !== place.file) {
    const path = relative(dirname(place.file), file);
    const from = path.startsWith(".") ? path : `./${path}`;
    place.imports.set(from, (place.imports.get(from) ?? new Set()).add(name));
  }
  return name;
}

function asText(type) {
  return checker.typeToString(type, undefined, NodeBuilderFlags.NoTruncation);
}

function isOurs({ declarations }) {
  return declarations.some(({ path }) => path.startsWith(sources));
}

/** Returns the documentation comment at the declaration of a property, with the default value of its schema. */
function commentOf(property) {
  const declaration = property.declarations[0]?.resolve(project);
  if (!declaration) return undefined;
  const { text } = declaration.getSourceFile();
  const before = text.slice(declaration.pos, declaration.getStart());
  const comment = before.match(/\/\*\*(?:(?!\*\/)[\s\S])*\*\/(?=\s*$)/)?.[0];
  const code = text.slice(declaration.getStart(), declaration.end);
  const value = code.match(/\.default\(([^()]*)\)$/)?.[1];
  if (comment === undefined || value === undefined) return comment;
  const lines = comment.replace(/^\/\*\* (.*) \*\/$/, "/**\n * $1\n */");
  return lines.replace(/\s*\*\/$/, `\n * @defaultValue ${value.replaceAll("_", "")}\n */`);
}
