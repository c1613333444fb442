import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { shells } from "../src/cli/choices.ts";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const readme = read("README.md");

/** The README's blocks of code in that language. */
const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, code = ""]) => code,
  );

test("its program is the example that the tests run", () => {
  expect(blocks("js")).toEqual([read("examples/one-turn.mjs")]);
});

test("its program is about twenty lines", () => {
  const lines = blocks("js").flatMap((code) => code.split("\n").filter((line) => line !== ""));
  expect(lines.length).toBeLessThanOrEqual(22);
});

test("its test command is what CI runs, with the checks in between and the longer tests after it [s4.plan.tests]", () => {
  const steps = [...read(".ci/run").matchAll(/^(?:step|twice) (.*)$/gm)].map(
    ([, command]) => command,
  );
  const [command = ""] = blocks("sh").filter((code) => /npm test$/m.test(code));
  expect(command).toBe("npm ci && npm test\n");
  expect(steps.filter((step = "") => /^npm (?!run)/.test(step)).join(" && ")).toBe(command.trim());
  const suites = Object.keys(packageJson.scripts).filter((name) => name.startsWith("test:"));
  expect(steps).toEqual([
    ".ci/machine",
    ...["npm ci", "npm run check", "npm test"],
    ...suites.map((name) => `npm run ${name}`),
  ]);
});

test("it speaks of every runtime, and shows several at work [s1.docs.readme]", () => {
  const registered = read("src/adapters/registry.ts").matchAll(/^ {2}(\w+): async/gm);
  const names = new Set([...registered].map(([, name = ""]) => name));
  expect([...names].filter((name) => !readme.includes(`| \`${name}\``))).toEqual([]);
  const shown = blocks("sh").flatMap((code) => [...code.matchAll(/--runtime (\w+)/g)]);
  expect(new Set(shown.map(([, name]) => name)).size).toBeGreaterThan(1);
});

test("it tells how to install Codex, and how to choose a runtime [s1.docs.installing]", () => {
  const commands = blocks("sh").join("");
  expect(commands).toContain("halyard runtime install codex");
  expect(commands).toContain("halyard run --runtime codex");
  expect(readme).toContain("halyard runtime list \\| doctor \\| install");
  expect(read("docs/configuration.md")).toContain("halyard runtime set default");
  const installing = read("docs/INSTALLING.md");
  expect(installing).toContain("halyard runtime install codex");
  expect(installing).toContain("halyard gt runtime set default codex");
});

test("its first commands install the program, and the next one is the demo", () => {
  const [install = "", demo] = blocks("sh");
  const commands = install.split("\n").map((line) => line.replace(/ {2,}#.*/, ""));
  const ways = ["npm install -g halyard", "npx halyard demo", "npm ci && npm link"];
  expect(commands.filter((line) => line !== "")).toEqual(ways);
  expect(demo).toBe("npm ci && npx halyard demo\n");
  for (const shell of shells) expect(readme).toContain(`halyard completion ${shell}`);
});

test("it names every npm script it needs as it is called", () => {
  const called = [...readme.matchAll(/npm run (\w+)/g)].map(([, script = ""]) => script);
  expect(called.filter((script) => !(script in packageJson.scripts))).toEqual([]);
});
