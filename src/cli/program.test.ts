import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { halyard, newUser, program, StartedCli } from "../../test/cli/start-cli.ts";

test("--version prints the package's version", async () => {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  expect(await halyard(await newUser(), ["--version"])).toEqual({
    exitCode: 0,
    stdout: `${version}\n`,
    stderr: "",
  });
});

test.each([
  [""],
  ["demo"],
  ["run"],
  ["sessions"],
  ["events"],
  ["replay"],
  ["runtime list"],
  ["runtime install"],
])("halyard %s --help has examples", async (command) => {
  const args = [...command.split(" ").filter(Boolean), "--help"];
  const { exitCode, stdout } = await halyard(await newUser(), args);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/\nExamples:\n {2}\S/);
});

test
  .skipIf(!existsSync("/dev/full"))
  .each(["--help", "run --help", "--version", "completion bash"])(
  "halyard %s fails where nothing can be written",
  async (words) => {
    const line = `${process.execPath} ${program} ${words} > /dev/full`;
    const ran = await new StartedCli(await newUser(), ["sh", "-c", line]).finished;
    expect(ran).toEqual({ exitCode: 1, stdout: "", stderr: expect.stringContaining("ENOSPC") });
  },
);

test("no command is answered with the help, and is a mistake", async () => {
  const { exitCode, stdout, stderr } = await halyard(await newUser(), []);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain("Usage: halyard");
});

test.each([
  [["sesions"], /unknown command 'sesions'\n.*Did you mean sessions/],
  [["run"], /missing required argument 'prompt'.*\nSee halyard run --help/],
  [["run", "--bogus", "x"], /unknown option '--bogus'/],
  [["run", "--permissions", "maybe", "x"], /Allowed choices are allow-all, allow-edits, ask, deny/],
  [["run", "--timeout", "-1", "x"], /Expected a number of seconds above 0/],
  [["run", "--resume", "ses_1", "--cwd", ".", "x"], /cannot be used with option/],
  [["run", "--resume", "ses_1", "--runtime", "pi", "x"], /cannot be used with option/],
  [["sessions", "--label", "team"], /Expected a label such as team=docs/],
  [["events", "ses_1", "--after", "x"], /Expected a whole number/],
])("%j is refused with exit code 2 [s2.scope.bound-to-runtime]", async (args, message) => {
  const { exitCode, stdout, stderr } = await halyard(await newUser(), args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr.replace(" (invalid_input)", "")).toMatch(message);
});

test("for programs an error is a line of JSON as well", async () => {
  const { exitCode, stdout } = await halyard(await newUser(), ["run", "--format", "json"]);
  expect(exitCode).toBe(2);
  expect(JSON.parse(stdout)).toEqual({
    type: "error",
    code: "invalid_input",
    message: "missing required argument 'prompt'\nSee halyard run --help.",
    retryable: false,
  });
});

test("what is loaded before a command runs is commander and nothing heavy", () => {
  const loaded = ["main.js", "program.js"].flatMap((file) =>
    staticImports(new URL(`../../dist/cli/${file}`, import.meta.url)),
  );
  const light = ["node:fs", "node:module", "node:path", "node:url", "node:util", "node:vm"];
  const forSeals = "node:crypto"; // 3 ms; what is kept saves more than 10 even here
  expect([...new Set(loaded)].sort()).toEqual(["commander", forSeals, ...light]);
});

/** The packages that a built module imports before its first line runs. */
function staticImports(module: URL, seen = new Set<string>()): string[] {
  if (seen.has(module.href)) return [];
  seen.add(module.href);
  const code = readFileSync(module, "utf8");
  const names = [...code.matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)";/gm)].map(
    ([, name = ""]) => name,
  );
  return names.flatMap((name) =>
    name.startsWith(".") ? staticImports(new URL(name, module), seen) : [name],
  );
}
