import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Node } from "typescript/unstable/ast";
import {
  isExpressionWithTypeArguments,
  isIdentifier,
  isQualifiedName,
  isTypeReferenceNode,
} from "typescript/unstable/ast/is";
import { API, SymbolFlags, type Symbol as TypeScriptSymbol } from "typescript/unstable/sync";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));

/**
 * Lists the types of this package that an exported declaration names and that no entry point exports, each with the
 * declarations that name it. Types of other packages are not listed.
 */
export function typesMissingFrom(entries: readonly string[]): string[] {
  const files = entries.map((entry) => join(dist, entry));
  const config = join(dist, "tsconfig.exported-types.json"); // this file exists only in memory
  const text = JSON.stringify({ compilerOptions: { strict: true, module: "nodenext" }, files });
  const api = new API({
    cwd: dist,
    fs: {
      readFile: (path) => (path === config ? text : undefined),
      fileExists: (path) => (path === config ? true : undefined),
    },
  });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (!project) throw new Error(`${config} cannot be opened. Run "npm run build".`);
    const { checker, program } = project;
    const resolve = (symbol: TypeScriptSymbol): TypeScriptSymbol =>
      (symbol.flags & SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol;
    const fileOf = (symbol: TypeScriptSymbol): string =>
      symbol.declarations[0]?.resolve(project)?.getSourceFile().fileName ?? "";
    const exported = new Map<unknown, TypeScriptSymbol>();
    for (const file of files) {
      const source = program.getSourceFile(file);
      const module = source && checker.getSymbolAtLocation(source);
      if (!module) throw new Error(`${file} cannot be opened. Run "npm run build".`);
      for (const symbol of checker.getExportsOfModule(module)) {
        const resolved = resolve(symbol);
        exported.set(resolved.id, resolved);
      }
    }
    const missing = new Map<string, Set<string>>();
    const visit = (node: Node, owner: string): void => {
      const name = nameIn(node);
      const symbol = name && checker.getSymbolAtLocation(name);
      if (symbol) {
        const named = resolve(symbol);
        const file = fileOf(named);
        const isOwn = file.startsWith(dist) && (named.flags & SymbolFlags.TypeParameter) === 0;
        if (isOwn && !exported.has(named.id)) {
          const key = `${named.name} in ${file.slice(dist.length)}`;
          missing.set(key, (missing.get(key) ?? new Set()).add(owner));
        }
      }
      node.forEachChild((child) => visit(child, owner));
    };
    for (const symbol of exported.values())
      for (const declaration of symbol.declarations) {
        const node = declaration.resolve(project);
        if (node) visit(node, symbol.name);
      }
    return [...missing]
      .map(([name, owners]) => `${name}, named by ${[...owners].join(", ")}`)
      .sort();
  } finally {
    api.close();
  }
}

/** Returns the name of the type that a node refers to: `Turn` in `Promise<Turn>`, `Base` in `extends Base`. */
function nameIn(node: Node): Node | undefined {
  let name: Node | undefined;
  if (isTypeReferenceNode(node)) name = node.typeName;
  else if (isExpressionWithTypeArguments(node)) name = node.expression;
  while (name && isQualifiedName(name)) name = name.left;
  return name && isIdentifier(name) ? name : undefined;
}
