import { existsSync, readFileSync } from "node:fs";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { runWarm } from "../../test/cli/run-warm.ts";
import { newUser, program, StartedCli } from "../../test/cli/start-cli.ts";
import { createProgram } from "./program.ts";

test("prints the package version for --version", async () => {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  expect(await runWarm(await newUser(), ["--version"])).toEqual({
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
])("halyard %s --help contains examples", async (command) => {
  const args = [...command.split(" ").filter(Boolean), "--help"];
  const { exitCode, stdout } = await runWarm(await newUser(), args);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/\nExamples:\n {2}\S/);
});

test("every command's help is an imperative phrase without a period", () => {
  const wrong = allCommands(createProgram())
    .slice(1) // the program itself
    .flatMap(({ name, text }) =>
      /^[A-Z][a-z]+,? .*[^.]$/s.test(text) ? [] : [`${name}: ${text}`],
    );
  expect(wrong).toEqual([]);
});

test("the help of every option and argument ends without a period and avoids vague words", () => {
  const wrong = allCommands(createProgram())
    .flatMap(({ name, details }) => details.map((text) => `${name}: ${text}`))
    .filter((text) => /\.$|\b(what|who|whoever|nobody|goes? on|under way|by itself) /.test(text));
  expect(wrong).toEqual([]);
});

interface HelpText {
  readonly name: string;
  readonly text: string;
  readonly details: readonly string[];
}

function allCommands(command: Command): HelpText[] {
  const shown = [
    ...command.options.filter(({ hidden }) => !hidden),
    ...command.registeredArguments,
  ];
  const details = shown.map(({ description }) => description);
  const own = { name: command.name(), text: command.description(), details };
  const isHidden = ({ name }: { name: string }) => name === "complete";
  return [own, ...command.commands.flatMap(allCommands)].filter((one) => !isHidden(one));
}

test
  .skipIf(!existsSync("/dev/full"))
  .each(["--help", "run --help", "--version", "completion bash"])(
  "halyard %s fails if standard output cannot be written",
  async (args) => {
    const line = `${process.execPath} ${program} ${args} > /dev/full`;
    const ran = await new StartedCli(await newUser(), ["sh", "-c", line]).finished;
    expect(ran).toEqual({ exitCode: 1, stdout: "", stderr: expect.stringContaining("ENOSPC") });
  },
);

test("prints the help and exits with 2 without a command", async () => {
  const { exitCode, stdout, stderr } = await runWarm(await newUser(), []);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain("Usage: halyard");
});

test.each([
  [["sesions"], /unknown command 'sesions'\n.*Did you mean sessions/],
  [["runtime", "lst"], /Did you mean list\?\)\nRun "halyard runtime --help"/],
  [
    ["runtime", "set", "defualt", "pi"],
    /Did you mean default\?\)\nRun "halyard runtime set --help"/,
  ],
  [
    ["help", "rnu"],
    /^error: unknown command 'rnu'\n\(Did you mean "run"\?\)\nRun "halyard --help"/,
  ],
  [["runtime", "help", "lst"], /Did you mean "list"\?\)\nRun "halyard runtime --help"/],
  [
    ["sessions", "--json"],
    /unknown option '--json'\n\(Did you mean --format json\?\)\nRun "halyard sessions/,
  ],
  [["explain", "--cwd", "/nosuch"], /\/nosuch/],
  [["run"], /The prompt is empty\. Pass text, pipe it into the command/],
  [["send"], /missing required argument 'session'.*\nRun "halyard send --help"/],
  [
    ["doctor"],
    /\(Did you mean halyard runtime doctor, halyard container doctor or halyard cluster doctor\?\)/,
  ],
  [["ls"], /unknown command 'ls'\n\(Did you mean halyard sessions\?\)\nRun "halyard --help"/],
  [["run", "--name", "", "x"], /name: expected text that is not empty/],
  [["run", "--bogus", "x"], /unknown option '--bogus'/],
  [["run", "--permissions", "maybe", "x"], /Allowed choices are allow-all, allow-edits, ask, deny/],
  [["run", "--timeout", "-1", "x"], /Expected a number of seconds above 0/],
  ...[
    ["--cwd", "."],
    ["--url", "ws://127.0.0.1:1/acp"],
    ["--on", "gpu1"],
    ["--repo", "https://example.com/a.git"],
    ["--ref", "main"],
    ["--upload"],
    ["--no-checkpoints"],
  ].map((flags): [string[], RegExp] => [
    ["run", "--resume", "ses_1", ...flags, "x"],
    /cannot be used with option/,
  ]),
  [["sessions", "--label", "team"], /Expected a label such as team=docs/],
  [["events", "ses_1", "--after", "x"], /Expected a whole number/],
])("%j exits with 2 and explains the error", async (args, message) => {
  const { exitCode, stdout, stderr } = await runWarm(await newUser(), args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr.replace(" (invalid_input)", "")).toMatch(message);
});

test.each([
  [["run", "--runtime", "codx", "x"]],
  [["explain", "--runtime", "codx"]],
  [["runtime", "explain", "--runtime", "codx"]],
  [["runtime", "doctor", "codx"]],
  [["runtime", "install", "codx"]],
  [["runtime", "uninstall", "codx"]],
  [["runtime", "upgrade", "codx"]],
  [["runtime", "set", "default", "codx"]],
  [["image", "build", "--runtimes", "codx"]],
  [["project", "create", "site", "--runtime", "codx"]],
  [["replay", "--runtime", "codx", "native.jsonl"]],
  [["sessions", "--runtime", "codx"]],
  [["acp", "--runtime", "codx"]],
])("%j suggests the runtime with a similar name", async (args) => {
  const { exitCode, stderr } = await runWarm(await newUser(), args);
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(
    /Did you mean "codex"\?.*\nRun "halyard runtime list" to list runtimes\.\n$/,
  );
});

test("halyard help COMMAND prints that command's help", async () => {
  const { exitCode, stdout } = await runWarm(await newUser(), ["help", "runtime"]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("Usage: halyard runtime ");
});

test("prints an error as a JSON line with --format json", async () => {
  const { exitCode, stdout } = await runWarm(await newUser(), ["send", "--format", "json"]);
  expect(exitCode).toBe(2);
  expect(JSON.parse(stdout)).toEqual({
    type: "error",
    code: "invalid_input",
    message: "missing required argument 'session'\nRun \"halyard send --help\" for help.",
    retryable: false,
  });
});

test("loads only commander and light Node modules before a command runs", () => {
  const loaded = ["main.js", "program.js"].flatMap((file) =>
    staticImports(new URL(`../../dist/cli/${file}`, import.meta.url)),
  );
  const light = ["node:fs", "node:module", "node:path", "node:url", "node:util", "node:vm"];
  const forCompileCache = "node:crypto"; // takes 3 ms, and the cache saves more than 10 ms
  expect([...new Set(loaded)].sort()).toEqual(["commander", forCompileCache, ...light]);
});

/** Returns the packages that a built module imports statically, directly or through other modules. */
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

test("rejects --runtime for a resumed session [s2.scope.bound-to-runtime]", async () => {
  const args = ["run", "--resume", "ses_1", "--runtime", "pi", "x"];
  const { exitCode, stdout, stderr } = await runWarm(await newUser(), args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toMatch(/cannot be used with option/);
});
