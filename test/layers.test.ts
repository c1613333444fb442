import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { codeOf, findTrespasses, importsOf } from "./layers.ts";

const src = fileURLToPath(new URL("../src/", import.meta.url));
const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .sort();

const sourceOf = (file: string): string => readFileSync(`${src}${file}`, "utf8");
const within = (folder: string): string[] => files.filter((file) => file.startsWith(folder));
const trespassesOf = (some: readonly string[]): string[] =>
  some.flatMap((file) => findTrespasses(file, sourceOf(file)));

test("every file keeps to its layer", () => {
  expect(files.length).toBeGreaterThan(100);
  expect(trespassesOf(files)).toEqual([]);
});

test("the contracts stand apart from what fulfils them [s1.migration.contracts-first]", () => {
  expect(trespassesOf([...within("schema/"), ...within("core/")])).toEqual([]);
});

test("the session knows adapters by their contract only [s1.migration.by-contract]", () => {
  const knowing = files.filter((file) => {
    return /^core\/.*session/.test(file) && importsOf(sourceOf(file)).includes("./adapter.ts");
  });
  expect(knowing).not.toEqual([]);
  expect(trespassesOf(within("core/"))).toEqual([]);
});

test("each runtime has a folder of its own, and none imports another [s2.structure.folder-per-runtime]", () => {
  const folders = new Set(
    within("adapters/").map((file) => file.split("/").slice(0, -1).join("/")),
  );
  const runtimes = [...sourceOf("adapters/registry.ts").matchAll(/import\("\.\/([^/"]+)\//g)];
  expect([...folders]).toEqual(
    expect.arrayContaining(runtimes.map(([, name]) => `adapters/${name}`)),
  );
  expect(runtimes.length).toBeGreaterThan(0);
  expect(trespassesOf(within("adapters/"))).toEqual([]);
});

test("commands choose a runtime and never call its program themselves [s1.migration.commands-select]", () => {
  expect(trespassesOf(within("cli/"))).toEqual([]);
  const starting = within("cli/").filter((file) =>
    importsOf(sourceOf(file)).includes("node:child_process"),
  );
  // npm, to fetch a runtime that is missing, gt, which starts sessions of its own, and tmux, to look at one.
  expect(starting.filter((file) => !/^cli\/(install\/|gt\/|view-screen)/.test(file))).toEqual([]);
});

test("Claude Code and Codex stand in their adapters; others list their names and versions at most [s1.migration.claude-in-adapter] [s1.goals.codex-as-addition]", () => {
  const theirs = /^adapters\/[^/]+\/|^testing\/|^cli\/commands\//; // these last name them as examples
  const naming = files.filter(
    (file) => !theirs.test(file) && /claude|codex/i.test(codeOf(sourceOf(file))),
  );
  expect(naming).toEqual([
    "adapters/project-settings.ts",
    "adapters/registry.ts",
    "adapters/versions.ts",
    "core/protected-names.ts",
    "facades/ari/create-agent-runtime.ts", // the runtime that a Gas Town has without any file
    "index.ts", // the types of their options
    "schema/built-in-runtimes.ts",
    "schema/runtime-options.ts", // data: what a caller may pass to each runtime
  ]);
  const lines = sourceOf("adapters/registry.ts").split("\n");
  expect(lines.filter((line) => /codex/i.test(line))).toHaveLength(1);
});

test("a runtime is loaded only when it is asked for, so that another one changes nothing [s1.migration.default-unchanged]", () => {
  const atOnce = sourceOf("adapters/registry.ts").match(/^import (?!type).*$/gm);
  const names = 'import { canonicalName } from "../schema/built-in-runtimes.ts";';
  expect(atOnce).toEqual([names]); // a table
  const importing = files.filter(
    (file) =>
      !file.startsWith("adapters/codex/") &&
      importsOf(sourceOf(file)).some((specifier) => specifier.includes("codex/")),
  );
  // The first has their project settings as data, which load nothing.
  expect(importing).toEqual(["adapters/project-settings.ts", "adapters/registry.ts"]);
});

describe("the check itself", () => {
  test.each([
    ["a schema", "schema/x.ts", 'import { y } from "../core/y.ts";', "core/y.ts"],
    ["a schema with a package", "schema/x.ts", 'import { y } from "nanoid";', "nanoid"],
    ["a wire", "wire/x.ts", 'import type { Y } from "../schema/y.ts";', "schema/y.ts"],
    [
      "the core",
      "core/x.ts",
      'const y = await import("../adapters/pi/index.ts");',
      "adapters/pi/index.ts",
    ],
    ["an adapter", "adapters/pi/x.ts", 'export * from "../codex/y.ts";', "adapters/codex/y.ts"],
    [
      "an adapter with a namesake",
      "adapters/pi/x.ts",
      'import "../pi-two/y.ts";',
      "adapters/pi-two/y.ts",
    ],
    ["a host", "hosts/local/x.ts", 'import { y } from "../../stores/y.ts";', "stores/y.ts"],
    ["a store", "stores/x.ts", 'import { y } from "../hosts/local/y.ts";', "hosts/local/y.ts"],
    [
      "the configuration",
      "config/x.ts",
      'import { y } from "../core/session.ts";',
      "core/session.ts",
    ],
    ["a command", "cli/x.ts", 'import { y } from "../adapters/pi/y.ts";', "adapters/pi/y.ts"],
    [
      "a suite",
      "testing/x.ts",
      'import {\n  y,\n} from "../create-halyard.ts";',
      "create-halyard.ts",
    ],
  ])("finds %s that reaches too far", (_, file, source, target) => {
    expect(findTrespasses(file, source)).toEqual([`${file} imports ${target}`]);
  });

  test("finds a file that belongs nowhere", () => {
    expect(findTrespasses("helpers/x.ts", "")).toEqual([
      "helpers/x.ts belongs to no layer: give it one in test/layers.ts",
    ]);
  });

  test("lets pass what is allowed, and what is no import", () => {
    const source = `
      // import { a } from "../stores/a.ts";
      /** As in \`import { b } from "../hosts/local/b.ts"\`. */
      import { readFile } from "node:fs/promises";
      import { z } from "zod";
      import { c } from "../schema/c.ts";
    `;
    expect(findTrespasses("core/x.ts", source)).toEqual([]);
  });
});
