import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  API,
  type Checker,
  SymbolFlags,
  type Type,
  type Symbol as TypeScriptSymbol,
} from "typescript/unstable/sync";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** TypeScript's view of an entry point, read from the built declarations of the package. */
export interface PublicTypes extends Disposable {
  readonly checker: Checker;
  /** The names that the entry point exports. */
  readonly names: readonly string[];
  /** Returns the source of a symbol's first declaration. */
  declarationOf(symbol: TypeScriptSymbol): string;
  /** Returns the names of the methods of an interface or class without type parameters. Empty for other exports. */
  methodsOf(name: string): readonly string[];
  /** Returns the type that the entry point exports under a name. */
  named(name: string): Type;
}

/** Opens an entry point of the package, such as `index.d.ts`. */
export function openPublicTypes(entry = "index.d.ts"): PublicTypes {
  const file = join(root, "dist", entry);
  const config = join(dirname(file), "tsconfig.public-types.json"); // this file exists only in memory
  const compilerOptions = { strict: true, exactOptionalPropertyTypes: true, module: "nodenext" };
  const text = JSON.stringify({ compilerOptions, files: [file] });
  const readFile = (path: string) => (path === config ? text : undefined);
  const fileExists = (path: string) => (path === config ? true : undefined);
  const api = new API({ cwd: root, fs: { readFile, fileExists } });
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
  const source = project?.program.getSourceFile(file);
  const module = source && project?.checker.getSymbolAtLocation(source);
  if (!project || !module) throw new Error(`${file} cannot be opened. Run "npm run build".`);
  const { checker } = project;
  const resolve = (name: string): TypeScriptSymbol => {
    const symbol = checker.getExportsOfModule(module).find((one) => one.name === name);
    if (!symbol) throw new Error(`${entry} does not export ${name}.`);
    return (symbol.flags & SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol;
  };
  return {
    checker,
    names: checker.getExportsOfModule(module).map(({ name }) => name),
    declarationOf(symbol) {
      const node = symbol.declarations[0]?.resolve(project);
      return node?.getSourceFile().text.slice(node.getStart(), node.end) ?? "";
    },
    named: (name) => checker.getDeclaredTypeOfSymbol(resolve(name)),
    methodsOf(name) {
      const symbol = resolve(name);
      if ((symbol.flags & (SymbolFlags.Interface | SymbolFlags.Class)) === 0) return [];
      const type = checker.getDeclaredTypeOfSymbol(symbol);
      const members = type.isTypeReference() ? [] : checker.getPropertiesOfType(type);
      const methods = members.filter(
        ({ name, flags }) => (flags & SymbolFlags.Method) !== 0 && /^\w+$/.test(name),
      );
      return methods.map((method) => method.name);
    },
    [Symbol.dispose]: () => api.close(),
  };
}
