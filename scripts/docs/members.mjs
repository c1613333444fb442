import { fileURLToPath } from "node:url";
import { API, SymbolFlags } from "typescript/unstable/sync";
import { table } from "./table.mjs";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));

/** Returns one table per exported type with the type, default, documentation and example of every member. */
export function memberTables(names) {
  const entry = `${dist}index.d.ts`;
  const config = `${dist}tsconfig.members.json`; // this file exists only in memory
  const text = JSON.stringify({
    compilerOptions: { strict: true, module: "nodenext" },
    files: [entry],
  });
  const readFile = (path) => (path === config ? text : undefined);
  const fileExists = (path) => (path === config ? true : undefined);
  const api = new API({ cwd: dist, fs: { readFile, fileExists } });
  const snapshot = api.updateSnapshot({ openProjects: [config] });
  const project = snapshot.getProject(config);
  const { checker, program } = project;
  const exported = checker.getExportsOfModule(
    checker.getSymbolAtLocation(program.getSourceFile(entry)),
  );
  const tables = names.map((name) => {
    const symbol = exported.find((one) => one.name === name);
    const type = checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(symbol));
    const members = checker.getPropertiesOfType(type).filter(isOurs);
    return [name, table(["member", "type", "default", "description", "example"], members.map(row))];
  });
  snapshot.dispose();
  api.close();
  return tables;

  function row(member) {
    const tags = new Map(checker.getJsDocTagsOfSymbol(member).map((tag) => [tag.name, tag.text]));
    const example = tags.get("example");
    const about = checker.getDocumentationCommentOfSymbol(member).replaceAll("\n", " ");
    if (!about || !example)
      throw new Error(`Add a documentation comment with an @example to ${member.name}.`);
    return [
      `\`${member.name}\``,
      code(typeOf(member)),
      (member.flags & SymbolFlags.Optional) !== 0 ? (tags.get("defaultValue") ?? "") : "",
      about,
      code(example),
    ];
  }

  /** Returns the declared type. Inline object types are shortened to `object`. */
  function typeOf(member) {
    const node = member.declarations[0].resolve(project);
    const declared = node.getSourceFile().text.slice(node.name.end, node.end);
    return declared
      .replaceAll(/\/\*\*[\s\S]*?\*\//g, "")
      .replace(/^\??:?\s*/, "")
      .replace(/;$/, "")
      .replace(/\{[\s\S]*\}/, "object")
      .replace(/^<[^>]*>\(/, "(")
      .replace(/ \| undefined$/, "");
  }
}

function isOurs({ declarations }) {
  return declarations.some(({ path }) => path.startsWith(dist));
}

function code(text) {
  return `\`${text}\``;
}
