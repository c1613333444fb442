import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const src = fileURLToPath(new URL("../src/", import.meta.url));
const all = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !file.includes("fixtures/"))
  .sort();
const sources = all.filter((file) => !file.endsWith(".test.ts"));
const sourceOf = (file: string): string => readFileSync(`${src}${file}`, "utf8");

/** Folders whose subfolders implement the same role, and may use the same names for it. */
const perRole = /^(adapters|compat|hosts|cli)\/[^/]+\/|^testing\/|^acp\/version-\d\//;

test("no two shared modules export the same name", () => {
  const shared = sources.filter((file) => !perRole.test(file));
  const allowed = [
    "PositionedEvent", // a contract and the HTTP schema of the same value
    "connectHalyard", // one function for Node and one for browsers
  ];
  const duplicates = [...exportsOf(shared)].filter(
    ([name, files]) => files.length > 1 && !allowed.includes(name),
  );
  expect(duplicates).toEqual([]);
});

test("no module reuses a name from the schemas or contracts, except the seeds' interfaces", () => {
  const isVocabulary = (file: string) => /^(schema|contracts)\//.test(file);
  const vocabulary = exportsOf(sources.filter(isVocabulary));
  const isOther = (file: string) =>
    // The exports in plugin.ts belong to the source text of a plugin.
    !isVocabulary(file) && !/^compat\//.test(file) && file !== "adapters/opencode/config/plugin.ts";
  const others = exportsOf(sources.filter(isOther));
  const reused = [...others].filter(([name]) => vocabulary.has(name));
  expect(reused).toEqual([]);
});

test("no file has more than 300 lines", () => {
  const long = all.filter((file) => sourceOf(file).split("\n").length > 301);
  expect(long).toEqual([]);
});

test("no folder has more than 27 files", () => {
  const folders = new Set(all.map((file) => dirname(file)));
  const full = [...folders].filter(
    (folder) => all.filter((file) => dirname(file) === folder).length > 27,
  );
  expect(full).toEqual([]);
});

test("no file outside compat/ names Gas Town, Oubliette or OpenClaw, except the listed files", () => {
  const foreign = /\b(gas.?town|oubliette|openclaw|rigs?|beads?|polecats?|gt prime|GT_[A-Z]+)\b/i;
  const imported = /(from |import\()"[./]+\/compat\/.*"/g; // composition roots and file formats may import compat
  const naming = sources.filter(
    (file) =>
      !/^compat\/|^testing\//.test(file) && foreign.test(sourceOf(file).replaceAll(imported, "")),
  );
  expect(naming).toEqual([
    "cli/runtime/command.ts", // `runtime import` and `runtime set default --gas-town`
    "config/resolve-runtime.ts", // contains the source `rig` of a decision
    "hooks/payload.ts", // contains the field names of the seed's payload
    "schema/hook.ts",
    "schema/runtimes/runtime-decision.ts",
  ]);
});

/** Returns the declared exports of files, each with the files that declare it. */
function exportsOf(files: readonly string[]): Map<string, string[]> {
  const names = new Map<string, string[]>();
  const declaration = /^export (?:async )?(?:function\*?|const|interface|type|class) (\w+)/gm;
  for (const file of files) {
    const declared = new Set(
      [...sourceOf(file).matchAll(declaration)].map(([, name = ""]) => name),
    );
    for (const name of declared) names.set(name, [...(names.get(name) ?? []), file]);
  }
  return names;
}
