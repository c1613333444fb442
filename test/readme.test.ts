import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { shells } from "../src/cli/choices.ts";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const readme = read("README.md");

/** Returns the README's code blocks in a language. */
const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, code = ""]) => code,
  );

test("the README contains examples/one-turn.mjs unchanged", () => {
  expect(blocks("js")).toEqual([read("examples/one-turn.mjs")]);
});

test("the README's example program has at most 22 lines", () => {
  const lines = blocks("js").flatMap((code) => code.split("\n").filter((line) => line !== ""));
  expect(lines.length).toBeLessThanOrEqual(22);
});

test("the README shows the install and test commands that CI runs [s4.plan.tests]", () => {
  const steps = [...read(".ci/run").matchAll(/^(?:step|twice) (.*)$/gm)].map(
    ([, command]) => command,
  );
  const [command = ""] = blocks("sh").filter((code) => /npm test$/m.test(code));
  expect(command).toBe("npm ci && npm test\n");
  expect(steps.filter((step = "") => /^npm (?!run)/.test(step)).join(" && ")).toBe(command.trim());
  const suites = Object.keys(packageJson.scripts).filter((name) => name.startsWith("test:"));
  expect(steps).toEqual([
    ".ci/machine",
    ...["npm ci", "npm run check", "npm test", ".ci/node-24", ".ci/portable"],
    ...suites.map((name) => `npm run ${name}`),
  ]);
});

test("the README lists every runtime and shows commands for several [s1.docs.readme]", () => {
  const registered = read("src/adapters/registry.ts").matchAll(/^ {2}(\w+): async/gm);
  const names = new Set([...registered].map(([, name = ""]) => name));
  expect([...names].filter((name) => !readme.includes(`| \`${name}\``))).toEqual([]);
  const shown = blocks("sh").flatMap((code) => [...code.matchAll(/--runtime (\w+)/g)]);
  expect(new Set(shown.map(([, name]) => name)).size).toBeGreaterThan(1);
});

test("the documents explain how to install Codex and how to choose a runtime [s1.docs.installing]", () => {
  const commands = blocks("sh").join("");
  expect(commands).toContain("halyard runtime install codex");
  expect(commands).toContain("halyard run --runtime codex");
  expect(readme).toContain("halyard runtime list \\| doctor \\| install");
  expect(read("docs/reference/configuration.md")).toContain("halyard runtime set default");
  const installing = read("docs/INSTALLING.md");
  expect(installing).toContain("halyard runtime install codex");
  expect(installing).toContain("halyard runtime set default codex");
  expect(read("docs/coming-from.md")).toContain("halyard gt runtime set default codex");
});

test("the README shows the install commands first and the demo second", () => {
  const [install = "", demo] = blocks("sh");
  const commands = install.split("\n").map((line) => line.replace(/ {2,}#.*/, ""));
  const ways = ["npm install -g halyard", "npx halyard demo", "npm ci && npm link"];
  expect(commands.filter((line) => line !== "")).toEqual(ways);
  expect(demo).toBe("npm ci && npx halyard demo\n");
  for (const shell of shells) expect(readme).toContain(`halyard completion ${shell}`);
});

test("the README names only npm scripts that exist", () => {
  const called = [...readme.matchAll(/npm run (\w+)/g)].map(([, script = ""]) => script);
  expect(called.filter((script) => !(script in packageJson.scripts))).toEqual([]);
});
