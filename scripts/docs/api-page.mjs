import { dirname, join } from "node:path/posix";
import { commentOf, kindOf, readBuilt } from "./comments.mjs";
import { memberTables } from "./members.mjs";
import { generatedFrom, table } from "./table.mjs";

const entries = [
  ["halyard", "index.d.ts", "The library."],
  [
    "halyard/agent",
    "facades/agent/index.d.ts",
    "Runtimes and executors; see [facades](facades.md).",
  ],
  [
    "halyard/ari",
    "facades/ari/index.d.ts",
    "Gas Town's runtime interface; see [facades](facades.md).",
  ],
  ["halyard/run", "facades/run/index.d.ts", "Runs with callbacks; see [facades](facades.md)."],
  [
    "halyard/testing",
    "testing/index.d.ts",
    "A fake runtime and a scripted model, for tests of what is built on Halyard. The model needs `@copilotkit/aimock`.",
  ],
  [
    "halyard/testing/suites",
    "testing/suites.d.ts",
    "What every adapter, host, store and Halyard owes the others, as Vitest suites. Need `vitest` and `fast-check`.",
  ],
];

/** docs/api.md: every export in one sentence, the one above its declaration. */
export function apiPage() {
  const sections = entries.map(
    ([name, file, about]) =>
      `## \`${name}\`\n\n${about}\n\n${table(["name", "", "is"], rows(file))}`,
  );
  const members = memberTables([
    "Halyard",
    "Session",
    "Turn",
    "HalyardOptions",
    "StartRequest",
  ]).map(([name, members]) => `## Members of \`${name}\`\n\n${members}`);
  return `# API

${generatedFrom("the comments above what src/index.ts, src/facades/ and src/testing/ export")}

A *schema* is a zod schema and, under the same name, the type inferred from it. Editors show the documentation of every
member on hover. The members of the types that most programs use are listed [below](#members-of-halyard).

${sections.join("\n\n")}

${members.join("\n\n")}
`;
}

function rows(file) {
  const missing = [];
  const found = exportsOf(file).map(({ name, from }) => {
    const source = readBuilt(from);
    const text = commentOf(source, name);
    if (!text) missing.push(`${name} in ${from}`);
    return [`\`${name}\``, kindOf(source, name), text ?? ""];
  });
  if (missing.length === 0) return found;
  throw new Error(`without a comment that says in one sentence what it is: ${missing.join(", ")}`);
}

function exportsOf(file) {
  const lists = readBuilt(file).matchAll(/export (?:type )?\{([^}]*)\} from "([^"]*)"/g);
  return [...lists].flatMap(([, names, specifier]) => {
    const from = join(dirname(file), specifier.replace(/\.ts$/, ".d.ts"));
    return names
      .split(",")
      .map((name) => name.replace(/^\s*type\s/, "").trim())
      .filter((name) => name !== "")
      .map((name) => ({ name, from }));
  });
}
