import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const src = fileURLToPath(new URL("../src/", import.meta.url));
const all = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.includes("fixtures/"))
  .sort();
const sources = all.filter((file) => !file.endsWith(".test.ts"));
const sourceOf = (file: string): string => readFileSync(`${src}${file}`, "utf8");

/** Folders whose subfolders implement the same role, and may use the same names for it. */
const perRole = /^(adapters|compat|hosts|cli)\/[^/]+\/|^testing\/|^acp\/version-\d\//;

test("no two shared modules export the same name", () => {
  const shared = sources.filter((file) => !perRole.test(file));
  const allowed = [
    "PositionedEvent", // the schema of the interface
    "connectHalyard", // for Node and for browsers
  ];
  const duplicates = [...exportsOf(shared)].filter(
    ([name, files]) => files.length > 1 && !allowed.includes(name),
  );
  expect(duplicates).toEqual([]);
});

test("no module reuses a name of the schemas or contracts, except the seeds' interfaces", () => {
  const isVocabulary = (file: string) => /^(schema|contracts)\//.test(file);
  const vocabulary = exportsOf(sources.filter(isVocabulary));
  const isOther = (file: string) =>
    !isVocabulary(file) && !/^compat\//.test(file) && file !== "adapters/opencode/config/plugin.ts"; // source text of a plugin
  const others = exportsOf(sources.filter(isOther));
  const reused = [...others].filter(([name]) => vocabulary.has(name));
  expect(reused).toEqual([]);
});

test("no file has more than 300 lines", () => {
  const long = all.filter((file) => sourceOf(file).split("\n").length > 301);
  expect(long).toEqual([]);
});

test("no folder has more than 30 files", () => {
  const folders = new Set(all.map((file) => dirname(file)));
  const full = [...folders].filter(
    (folder) => all.filter((file) => dirname(file) === folder).length > 30,
  );
  expect(full).toEqual([]);
});

test("no file outside compat/ names Gas Town, Oubliette or OpenClaw, except these", () => {
  const foreign = /\b(gas.?town|oubliette|openclaw|rigs?|beads?|polecats?|GT_[A-Z]+)\b/i;
  const naming = sources.filter(
    (file) => !/^compat\/|^testing\//.test(file) && foreign.test(sourceOf(file)),
  );
  expect(naming).toEqual([
    // adapters: the variables of Gas Town that Claude Code sets, and hints that name the registry file
    "adapters/claude/settings/environment.ts",
    "adapters/own-runtime.ts",
    "adapters/prompt-prefix.ts",
    "adapters/registry-entry.ts",
    "adapters/terminal/runtime.ts",
    // commands: `halyard gt`, and commands that write the registry file
    "cli/program.ts",
    "cli/runtime/command.ts",
    "cli/runtime/runtime-import.ts",
    "cli/runtime/runtime-set-default.ts",
    // configuration: the files of the seeds, as sources of settings
    "config/config.ts",
    "config/files/index.ts",
    "config/files/registry.ts",
    "config/files/rig.ts",
    "config/host-choice.ts",
    "config/load.ts",
    "config/paths.ts",
    "config/resolve-runtime.ts",
    "config/trust/own-settings.ts",
    "create-halyard.ts", // adds the labels of Gas Town to requests
    "hooks/payload.ts", // the fields of the seed's payload
    "index.ts",
    "permissions/protected-names.ts",
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
