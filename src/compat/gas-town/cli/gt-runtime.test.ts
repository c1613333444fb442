import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runWarm } from "../../../../test/cli/run-warm.ts";
import { newUser } from "../../../../test/cli/start-cli.ts";
import { seedRegistry } from "../../../../test/compat/seed-registry.ts";
import { ListedRuntime, RuntimeReport } from "../../../schema/runtimes/runtime-info.ts";

const linesOf = (stdout: string): unknown[] =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));

test("gt runtime lists and checks the runtimes in the seed's registry, and sets the default [s1.cli.runtime-list] [s1.cli.runtime-set-default] [s1.cli.runtime-doctor]", async () => {
  const user = await newUser({ PATH: "/nowhere" });
  const file = join(dirname(user.cwd), ".gastown", "runtimes.json");
  await mkdir(dirname(file));
  await writeFile(file, seedRegistry);
  const json = ["--format", "json"];
  const defaults = async () => {
    const { stdout } = await runWarm(user, ["gt", "runtime", "list", ...json]);
    const listed = linesOf(stdout).map((line) => ListedRuntime.parse(line));
    expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(["claude", "codex"]));
    return listed.filter(({ isDefault }) => isDefault).map(({ name }) => name);
  };
  expect(await defaults()).toEqual(["claude"]);
  const set = await runWarm(user, ["gt", "runtime", "set", "default", "codex"]);
  expect(set).toMatchObject({ exitCode: 0 });
  const changed = seedRegistry.replace('"default": "claude"', '"default": "codex"');
  expect(await readFile(file, "utf8")).toBe(changed);
  expect(await defaults()).toEqual(["codex"]);

  const doctor = await runWarm(user, ["gt", "runtime", "doctor", ...json]);
  const reports = linesOf(doctor.stdout).map((line) => RuntimeReport.parse(line));
  const [claude, codex] = ["claude", "codex"].map((name) =>
    reports.find((report) => report.name === name),
  );
  expect(claude).toMatchObject({ usable: false, onScreen: { readiness: { strategy: "prompt" } } });
  expect(codex).toMatchObject({ usable: false, readiness: { strategy: "warmup" } });
  expect(codex?.advice).toContainEqual(expect.stringContaining("halyard runtime install codex"));
});
