import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser, type User } from "../../../test/cli/start-cli.ts";
import { ListedRuntime } from "../../schema/runtimes/runtime-info.ts";

const registryOf = ({ cwd }: User): string => join(dirname(cwd), ".gastown", "runtimes.json");

async function defaultOf(user: User): Promise<string[]> {
  const { stdout } = await runWarm(user, ["runtime", "list", "--format", "json"]);
  const lines = stdout.trimEnd().split("\n");
  const listed = lines.map((line) => ListedRuntime.parse(JSON.parse(line)));
  return listed.filter(({ isDefault }) => isDefault).map(({ name }) => name);
}

const setTown = ["gt", "runtime", "set", "default"];

test("gt runtime set default changes only the town's default, and list marks it [s1.cli.runtime-set-default]", async () => {
  const user = await newUser();
  expect(await defaultOf(user)).toEqual(["pi"]);
  const before =
    '{\n  // Gas Town\'s\n  "default": "claude",\n  "runtimes": { "claude": { "later": 1 } },\n}\n';
  await mkdir(dirname(registryOf(user)));
  await writeFile(registryOf(user), before);
  const ran = await runWarm(user, [...setTown, "droid"]);
  expect(ran).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^droid is now the default/),
  });
  expect(await readFile(registryOf(user), "utf8")).toBe(before.replace('"claude",', '"droid",'));
  await runWarm(user, ["runtime", "set", "default", "codex", "--gas-town"]);
  expect(await defaultOf(user)).toEqual(["codex"]);
  const text = await runWarm(user, ["gt", "runtime", "list"]);
  expect(text.stdout).toMatch(/codex +Codex.* · default\n/);
});

test("set default writes Halyard's settings, but not Gas Town's", async () => {
  const user = await newUser();
  await mkdir(dirname(registryOf(user)));
  await writeFile(registryOf(user), '{ "default": "claude" }');
  const settings = join(user.home, "config.json");
  await mkdir(user.home, { recursive: true });
  await writeFile(settings, '{\n  // mine\n  "permissions": "deny"\n}\n');
  const { exitCode, stderr } = await runWarm(user, ["runtime", "set", "default", "codex"]);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect(await readFile(registryOf(user), "utf8")).toBe('{ "default": "claude" }');
  const written = await readFile(settings, "utf8");
  expect(written).toContain("// mine");
  expect(written).toContain('"runtime": "codex"');
  expect(await defaultOf(user)).toEqual(["codex"]);
});

test("accepts a default that cannot run on this machine, and prints a warning", async () => {
  const user = await newUser({ PATH: "/nowhere" });
  const { exitCode, stderr } = await runWarm(user, ["runtime", "set", "default", "codex"]);
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/codex cannot run here yet: Codex is not installed/);
});

test("warns if a file in the directory overrides the default", async () => {
  const user = await newUser();
  await writeFile(join(user.cwd, "halyard.json"), '{ "runtime": "codex" }');
  const { stderr } = await runWarm(user, ["runtime", "set", "default", "claude"]);
  expect(stderr).toContain("In this directory, ~/project/halyard.json sets the runtime to codex");
});

test("rejects an unknown runtime and writes nothing", async () => {
  const user = await newUser();
  const { exitCode, stderr } = await runWarm(user, [...setTown, "emacs"]);
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(/Unknown runtime "emacs"\. Known: .*pi/);
  await expect(readFile(registryOf(user))).rejects.toThrow("ENOENT");
});

test("rejects a registry that is not JSON and does not change it", async () => {
  const user = await newUser();
  await mkdir(dirname(registryOf(user)));
  await writeFile(registryOf(user), '{ "default": ');
  const { exitCode, stderr } = await runWarm(user, [...setTown, "pi"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`${registryOf(user)}:1:`);
  expect(await readFile(registryOf(user), "utf8")).toBe('{ "default": ');
});
