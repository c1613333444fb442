import { dirname, join } from "node:path/posix";
import { commentOf, kindOf, readBuilt } from "./comments.mjs";
import { memberTables } from "./members.mjs";
import { generatedFrom, table } from "./table.mjs";

const entries = [
  ["halyard", "index.d.ts", "The library."],
  [
    "halyard/adapter",
    "adapter-kit/index.d.ts",
    "The types and functions that an adapter is written with. See [Adding a runtime](../adding-a-runtime.md).",
  ],
  [
    "halyard/compat/oubliette",
    "compat/oubliette/index.d.ts",
    "A runtime with one executor per session. See [Coming from another product](../coming-from.md#halyardcompatoubliette).",
  ],
  [
    "halyard/compat/gas-town",
    "compat/gas-town/index.d.ts",
    "Sessions addressed by a serializable handle. See [Coming from another product](../coming-from.md#halyardcompatgas-town).",
  ],
  [
    "halyard/compat/openclaw",
    "compat/openclaw/index.d.ts",
    "One turn per call, with callbacks. See [Coming from another product](../coming-from.md#halyardcompatopenclaw).",
  ],
  [
    "halyard/testing",
    "testing/index.d.ts",
    "A fake runtime and a scripted model for tests of programs that use Halyard. The scripted model requires the package `@copilotkit/aimock`.",
  ],
  [
    "halyard/testing/suites",
    "testing/suites.d.ts",
    "Vitest suites that every adapter, host, store and Halyard implementation must pass. They require `vitest` and `fast-check`.",
  ],
];

/** Returns docs/reference/api.md: every export, with the comment above its declaration. */
export function apiPage() {
  const sections = entries.map(
    ([name, file, about]) =>
      `## \`${name}\`\n\n${about}\n\n${table(["name", "kind", "description"], rows(file))}`,
  );
  const members = memberTables([
    "Halyard",
    "Session",
    "Turn",
    "HalyardOptions",
    "StartRequest",
  ]).map(([name, members]) => `## Members of \`${name}\`\n\n${members}`);
  return `# API

${generatedFrom("the comments above the exports of src/index.ts, src/adapter-kit/index.ts, src/compat/ and src/testing/")}

This page lists every export of the package. A *schema* is a zod schema together with the type inferred from it, both
exported under one name. Editors show the documentation of every member on hover; the members of the most common types are
listed [below](#members-of-halyard).

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
  throw new Error(`Add a documentation comment to these exports: ${missing.join(", ")}.`);
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
