import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser, type User } from "../../../test/cli/start-cli.ts";
import { programsFor } from "../../adapters/installed-program.ts";
import { createRegistry } from "../../adapters/registry.ts";
import { thisPlatform } from "../../programs/platform.ts";
import { RuntimeReport } from "../../schema/runtimes/runtime-info.ts";

/** Installs a shell script as Codex, which starts much faster than Pi. */
async function installCodex(user: User, script: string): Promise<void> {
  const [path = ""] = await programsFor("codex", thisPlatform);
  const program = join(user.home, "runtimes", "codex", "node_modules", path);
  await mkdir(dirname(program), { recursive: true });
  await writeFile(program, `#!/bin/sh\n${script}\n`);
  await chmod(program, 0o755);
}

test("prints a runtime's path and version, and reports a missing sign-in", async () => {
  const { exitCode, stdout } = await runWarm(await newUser(), ["runtime", "doctor", "pi"]);
  expect(exitCode).toBe(3);
  expect(stdout).toMatch(/^✗ pi +Pi\n {2}version 0\.74\.2\n {2}at .*pi-coding-agent/);
  expect(stdout).toMatch(
    /tested with 0\.74\.2\n {2}not signed in\n {2}→ set ANTHROPIC_API_KEY or the key of another provider/,
  );
});

test("checks every runtime if no name is given [s1.cli.runtime-doctor]", async () => {
  const user = await newUser();
  const { exitCode, stdout } = await runWarm(user, ["runtime", "doctor", "--format", "json"]);
  expect(exitCode).toBe(3);
  const lines = stdout.trimEnd().split("\n");
  const reports = lines.map((line) => RuntimeReport.parse(JSON.parse(line)));
  const registry = createRegistry({ env: {}, runtimesDir: "/nowhere", detached: false }, []);
  expect(reports.map(({ name }) => name)).toEqual(await registry.names());
  for (const { advice, usable } of reports) expect(advice.length > 0).toBe(!usable);
});

test("reports a runtime with a key as usable", async () => {
  const user = await newUser({ OPENAI_API_KEY: "sk-planted-key" });
  await installCodex(user, "echo codex-cli 0.169.0");
  const doctor = ["runtime", "doctor", "codex", "--format", "json"];
  const { exitCode, stdout } = await runWarm(user, doctor);
  expect(exitCode).toBe(0);
  const report = RuntimeReport.parse(JSON.parse(stdout));
  expect(report).toMatchObject({ name: "codex", signedIn: "yes", usable: true, advice: [] });
  expect(stdout).not.toContain("planted");
});

test("accepts the runtime's own sign-in", async () => {
  const user = await newUser();
  await installCodex(user, "echo codex-cli 0.169.0");
  const directory = join(user.env.HOME ?? "", ".codex");
  await mkdir(directory);
  await writeFile(join(directory, "auth.json"), '{ "tokens": {} }');
  const { exitCode, stdout } = await runWarm(user, ["runtime", "doctor", "codex"]);
  expect({ exitCode, isSignedIn: stdout.includes("  signed in\n") }).toEqual({
    exitCode: 0,
    isSignedIn: true,
  });
});

test("rejects an unknown runtime with the list of known ones", async () => {
  const { exitCode, stderr } = await runWarm(await newUser(), ["runtime", "doctor", "nosuch"]);
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(/Unknown runtime "nosuch"\. Known: .*pi/);
});

test("prints the output of an installed program that does not run", async () => {
  const user = await newUser({ OPENAI_API_KEY: "sk-planted" });
  await installCodex(user, "echo half a download; exit 9");
  const { exitCode, stdout } = await runWarm(user, ["runtime", "doctor", "codex"]);
  expect(exitCode).toBe(3);
  expect(stdout).toMatch(/exited with code 9\. Its output: half a download/);
  expect(stdout).toContain("halyard runtime install codex");
});
