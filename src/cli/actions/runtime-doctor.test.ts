import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { halyard, newUser } from "../../../test/cli/start-cli.ts";
import { programsFor } from "../../adapters/installed-program.ts";
import { createRegistry } from "../../adapters/registry.ts";
import { thisPlatform } from "../../core/platform.ts";
import { RuntimeReport } from "../../schema/runtime-info.ts";

test("runtime doctor tells where a runtime is, which version, and that it is not signed in", async () => {
  const { exitCode, stdout } = await halyard(await newUser(), ["runtime", "doctor", "pi"]);
  expect(exitCode).toBe(3);
  expect(stdout).toMatch(/^✗ pi +Pi\n {2}version 0\.74\.2\n {2}at .*pi-coding-agent/);
  expect(stdout).toMatch(/tested with 0\.74\.2\n {2}not signed in\n {2}→ sign in with Pi itself/);
});

test("without a name, every runtime is looked at [s1.cli.runtime-doctor]", async () => {
  const user = await newUser();
  const { exitCode, stdout } = await halyard(user, ["runtime", "doctor", "--format", "json"]);
  expect(exitCode).toBe(3);
  const lines = stdout.trimEnd().split("\n");
  const reports = lines.map((line) => RuntimeReport.parse(JSON.parse(line)));
  const registry = createRegistry({ env: {}, runtimesDir: "/nowhere", outlive: false }, []);
  expect(reports.map(({ name }) => name)).toEqual(await registry.names());
  for (const { advice, usable } of reports) expect(advice.length > 0).toBe(!usable);
});

test("a runtime with a key is usable", async () => {
  const user = await newUser({ ANTHROPIC_API_KEY: "sk-ant-planted-key" });
  const { exitCode, stdout } = await halyard(user, ["runtime", "doctor", "pi", "--format", "json"]);
  expect(exitCode).toBe(0);
  const report = RuntimeReport.parse(JSON.parse(stdout));
  expect(report).toMatchObject({ name: "pi", signedIn: "yes", usable: true, advice: [] });
  expect(stdout).not.toContain("planted");
});

test("a login of the runtime's own counts", async () => {
  const user = await newUser();
  const directory = join(user.env.HOME ?? "", ".pi", "agent");
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "auth.json"), '{ "anthropic": { "type": "oauth" } }');
  const { exitCode, stdout } = await halyard(user, ["runtime", "doctor", "pi"]);
  expect({ exitCode, isTold: stdout.includes("  signed in\n") }).toEqual({
    exitCode: 0,
    isTold: true,
  });
});

test("a runtime that nobody knows is refused, naming those that are known", async () => {
  const { exitCode, stderr } = await halyard(await newUser(), ["runtime", "doctor", "nosuch"]);
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(/no runtime "nosuch"\. Known: .*pi/);
});

test("a program that is installed and does not run is reported with its output", async () => {
  const user = await newUser({ OPENAI_API_KEY: "sk-planted" });
  const [path = ""] = await programsFor("codex", thisPlatform);
  const program = join(user.home, "runtimes", "codex", "node_modules", path);
  await mkdir(dirname(program), { recursive: true });
  await writeFile(program, "#!/bin/sh\necho half a download; exit 9\n");
  await chmod(program, 0o755);
  const { exitCode, stdout } = await halyard(user, ["runtime", "doctor", "codex"]);
  expect(exitCode).toBe(3);
  expect(stdout).toMatch(/exited with code 9\. Its output: half a download/);
  expect(stdout).toContain("halyard runtime install codex");
});
