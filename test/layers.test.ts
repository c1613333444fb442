import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { codeOf, findViolations, importsOf } from "./layers.ts";

const src = fileURLToPath(new URL("../src/", import.meta.url));
const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".test.ts"))
  .sort();

const sourceOf = (file: string): string => readFileSync(`${src}${file}`, "utf8");
const within = (folder: string): string[] => files.filter((file) => file.startsWith(folder));
const violationsOf = (some: readonly string[]): string[] =>
  some.flatMap((file) => findViolations(file, sourceOf(file)));

test("every file imports only modules that its layer allows", () => {
  expect(files.length).toBeGreaterThan(100);
  expect(violationsOf(files)).toEqual([]);
});

test("only anySignal calls AbortSignal.any, which loses time limits in Node 20", () => {
  const calling = files.filter((file) => codeOf(sourceOf(file)).includes("AbortSignal.any("));
  expect(calling).toEqual(["async/any-signal.ts"]);
});

test("the contracts do not import their implementations [s1.migration.contracts-first]", () => {
  expect(violationsOf([...within("schema/"), ...within("contracts/")])).toEqual([]);
});

test("the session imports adapters only through their contract [s1.migration.by-contract]", () => {
  const knowing = files.filter((file) => {
    return /^session\//.test(file) && importsOf(sourceOf(file)).includes("../contracts/adapter.ts");
  });
  expect(knowing).not.toEqual([]);
  expect(violationsOf(within("session/"))).toEqual([]);
});

test("each runtime has its own folder and imports no other runtime [s2.structure.folder-per-runtime]", () => {
  const folders = new Set(
    within("adapters/").map((file) => file.split("/").slice(0, -1).join("/")),
  );
  const runtimes = [...sourceOf("adapters/registry.ts").matchAll(/import\("\.\/([^/"]+)\//g)];
  expect([...folders]).toEqual(
    expect.arrayContaining(runtimes.map(([, name]) => `adapters/${name}`)),
  );
  expect(runtimes.length).toBeGreaterThan(0);
  expect(violationsOf(within("adapters/"))).toEqual([]);
});

test("commands select a runtime and never start its program [s1.migration.commands-select]", () => {
  expect(violationsOf(within("cli/"))).toEqual([]);
  const starting = within("cli/").filter((file) =>
    importsOf(sourceOf(file)).includes("node:child_process"),
  );
  // Allowed: npm to install a runtime, tmux to show a screen, the browser, the pager of the user, and the check of a race.
  const allowed = /^cli\/(install\/|attach\/view-screen|open\/browser|diff\/pager|race\/check)/;
  expect(starting.filter((file) => !allowed.test(file))).toEqual([]);
});

test("only adapters contain code for Claude Code and Codex; other files list their names and versions [s1.migration.claude-in-adapter] [s1.goals.codex-as-addition]", () => {
  // Help texts in `command.ts` files contain runtime names as examples.
  const theirs = /^adapters\/[^/]+\/|^testing\/|^cli\/.*command|^compat\//;
  const naming = files.filter(
    (file) => !theirs.test(file) && /claude|codex/i.test(codeOf(sourceOf(file))),
  );
  expect(naming).toEqual([
    "adapters/project-settings.ts",
    "adapters/registry.ts",
    "adapters/versions.ts",
    "index.ts", // exports the types of the options of each runtime
    "permissions/protected-names.ts",
    "schema/runtimes/built-in-runtimes.ts",
    "schema/runtimes/runtime-options.ts", // contains only data: the options of each runtime
  ]);
  const lines = sourceOf("adapters/registry.ts").split("\n");
  expect(lines.filter((line) => /codex/i.test(line))).toHaveLength(1);
});

test("an adapter is imported only when its runtime is used, so that a new runtime does not affect others [s1.migration.default-unchanged]", () => {
  const atOnce = sourceOf("adapters/registry.ts").match(/^import (?!type).*$/gm);
  const names = 'import { canonicalName } from "../schema/runtimes/built-in-runtimes.ts";';
  expect(atOnce).toEqual([names]); // the only static import, because the registry is a table of lazy imports
  const importing = files.filter(
    (file) =>
      !file.startsWith("adapters/codex/") &&
      importsOf(sourceOf(file)).some((specifier) => specifier.includes("codex/")),
  );
  // project-settings.ts imports data, not adapters.
  expect(importing).toEqual(["adapters/project-settings.ts", "adapters/registry.ts"]);
});

describe("the layer check", () => {
  test.each([
    ["a schema", "schema/x.ts", 'import { y } from "../log/y.ts";', "log/y.ts"],
    ["a schema, of a package", "schema/x.ts", 'import { y } from "nanoid";', "nanoid"],
    ["a wire module", "wire/x.ts", 'import type { Y } from "../schema/y.ts";', "schema/y.ts"],
    [
      "the session",
      "session/x.ts",
      'const y = await import("../adapters/pi/index.ts");',
      "adapters/pi/index.ts",
    ],
    ["an adapter", "adapters/pi/x.ts", 'export * from "../codex/y.ts";', "adapters/codex/y.ts"],
    [
      "an adapter with a similar name",
      "adapters/pi/x.ts",
      'import "../pi-two/y.ts";',
      "adapters/pi-two/y.ts",
    ],
    ["a host", "hosts/local/x.ts", 'import { y } from "../../stores/y.ts";', "stores/y.ts"],
    ["a store", "stores/x.ts", 'import { y } from "../hosts/local/y.ts";', "hosts/local/y.ts"],
    [
      "the configuration",
      "config/x.ts",
      'import { y } from "../session/session.ts";',
      "session/session.ts",
    ],
    ["a command", "cli/x.ts", 'import { y } from "../adapters/pi/y.ts";', "adapters/pi/y.ts"],
    ["the page", "web/x.tsx", 'import { y } from "../server/y.ts";', "server/y.ts"],
    ["the page, of a package", "web/x.tsx", 'import { y } from "zod";', "zod"],
    [
      "a suite",
      "testing/x.ts",
      'import {\n  y,\n} from "../create-halyard.ts";',
      "create-halyard.ts",
    ],
  ])("reports a forbidden import in %s", (_, file, source, target) => {
    expect(findViolations(file, source)).toEqual([`${file} imports ${target}`]);
  });

  test("reports a file without a layer", () => {
    expect(findViolations("helpers/x.ts", "")).toEqual([
      "helpers/x.ts belongs to no layer. Add one in test/layers.ts.",
    ]);
  });

  test("accepts allowed imports, and ignores imports in comments", () => {
    const source = `
      // import { a } from "../stores/a.ts";
      /** As in \`import { b } from "../hosts/local/b.ts"\`. */
      import { readFile } from "node:fs/promises";
      import { z } from "zod";
      import { c } from "../schema/c.ts";
    `;
    expect(findViolations("session/x.ts", source)).toEqual([]);
  });
});
