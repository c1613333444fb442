import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { runWarm } from "../../../../test/cli/run-warm.ts";
import { newUser, type User } from "../../../../test/cli/start-cli.ts";
import { type ScriptedModel, startScriptedModel } from "../../../testing/scripted-model.ts";
import { SessionHandle } from "../index.ts";

let model: ScriptedModel;
beforeAll(async () => {
  const command = "env | grep -E '^(GT_|BD_)' | sort > town.txt";
  model = await startScriptedModel([
    { replies: [{ toolCalls: [{ name: "bash", input: { command } }] }, { text: "Done." }] },
  ]);
});
afterAll(() => model.close());

/** Creates a Gas Town user. If `hasGt` is true, the user has a `gt` that records its arguments. */
async function townie({ hasGt }: { hasGt: boolean }): Promise<User> {
  const { id, baseUrl, api, apiKey } = model.endpoint("anthropic");
  const user = await newUser({
    HALYARD_MODEL: id,
    HALYARD_BASE_URL: baseUrl,
    HALYARD_API: api,
    HALYARD_API_KEY: apiKey,
  });
  const bin = join(user.home, "..", "bin");
  await mkdir(bin);
  const gt = join(bin, "gt");
  const exits = 'case "$*" in "config agent get droid") exit 1;; config*) exit 0;; esac';
  const notes = `echo "$@" >> "${user.cwd}/calls"\n${exits}\npwd >> "${user.cwd}/directories"`;
  const script = `#!/bin/sh\n${notes}\nexit 7\n`;
  if (hasGt) await writeFile(gt, script);
  if (hasGt) await chmod(gt, 0o755);
  return { ...user, env: { ...user.env, PATH: `${bin}:${user.env.PATH}` } };
}

test.each([
  [["start"], "start --agent codex"],
  [["sling", "gp-123", "greenplace"], "sling gp-123 greenplace --agent codex"],
  [
    ["crew", "start", "max", "--rig", "greenplace"],
    "crew start max --rig greenplace --agent codex",
  ],
  [["polecat", "spawn", "greenplace", "--force"], "polecat spawn greenplace --force --agent codex"],
  [["witness", "start", "greenplace"], "witness start greenplace --agent codex"],
  [["refinery", "start", "greenplace"], "refinery start greenplace --agent codex"],
])("passes the runtime to gt as --agent: %j", async (args, call) => {
  const user = await townie({ hasGt: true });
  const { exitCode } = await runWarm(user, ["gt", ...args, "--runtime", "codex"]);
  expect(exitCode, "the exit code of gt").toBe(7);
  expect(await callsOf(user)).toEqual(["config agent get codex", call]);
});

test.each([
  [["--prompt", "begin"], "--prompt"],
  [["--permissions", "deny", "--model", "m"], "--permissions, --model"],
  [["--reasoning", "high"], "--reasoning"],
  [["--tmux", "--account", "/a"], "--tmux, --account"],
  [["--format", "json"], "--format"],
])("rejects options that gt does not support: %j", async (flags, named) => {
  const user = await townie({ hasGt: true });
  const sling = ["gt", "sling", "gp-123", "greenplace", "--runtime", "codex"];
  const { exitCode, stderr } = await runWarm(user, [...sling, ...flags]);
  expect(exitCode).toBe(2);
  for (const flag of named.split(", ")) expect(stderr).toContain(flag);
  expect(stderr).toContain("--no-gt");
  expect(await callsOf(user), "gt starts nothing").toEqual(["config agent get codex"]);
});

test("runs gt in the directory given with --cwd", async () => {
  const user = await townie({ hasGt: true });
  await runWarm(user, ["gt", "witness", "start", "greenplace", "--cwd", "/"]);
  expect(await readFile(join(user.cwd, "directories"), "utf8")).toBe("/\n");
});

test("passes the rig's runtime to gt, and no --agent if no runtime is configured", async () => {
  const user = await townie({ hasGt: true });
  await runWarm(user, ["gt", "witness", "start", "greenplace"]);
  await mkdir(join(user.cwd, ".gastown"));
  await writeFile(join(user.cwd, ".gastown", "runtime.json"), '{ "runtime": "opencode" }');
  await runWarm(user, ["gt", "witness", "start", "greenplace"]);
  expect(await callsOf(user)).toEqual([
    "witness start greenplace",
    "config agent get opencode",
    "witness start greenplace --agent opencode",
  ]);
});

test("starts the session with Halyard and sets the role's variables if gt is missing", async () => {
  const user = await townie({ hasGt: false });
  onTestFinished(async () => {
    await runWarm(user, ["stop", "--all"]);
    await runWarm(user, ["daemon", "stop"]);
  });
  const sling = ["gt", "sling", "gp-123", "greenplace/ivy", "--runtime", "pi"];
  const { stdout, exitCode } = await runWarm(user, [...sling, "--format", "json"]);
  expect(exitCode).toBe(0);
  const handle = SessionHandle.parse(JSON.parse(stdout));
  expect(handle).toMatchObject({ runtime: "pi", workDir: user.cwd });
  expect(await runWarm(user, ["wait", handle.sessionID])).toMatchObject({ exitCode: 0 });
  const town = (await readFile(join(user.cwd, "town.txt"), "utf8")).trim().split("\n");
  expect(town).toEqual(
    expect.arrayContaining([
      "BD_ACTOR=greenplace/polecats/ivy",
      "GT_BEAD=gp-123",
      "GT_POLECAT=ivy",
      "GT_RIG=greenplace",
      "GT_ROLE=polecat",
      `GT_SESSION_ID=${handle.sessionID}`,
      `GT_WORKDIR=${user.cwd}`,
    ]),
  );
  const list = ["sessions", "--format", "json", "--label", "gt.rig=greenplace", "--label"];
  const { stdout: listed } = await runWarm(user, [...list, "gt.role=polecat"]);
  expect(JSON.parse(listed)).toMatchObject({
    labels: { "gt.rig": "greenplace", "gt.role": "polecat", "gt.bead": "gp-123" },
  });
  expect(await runWarm(user, [...list, "gt.role=crew"])).toMatchObject({ stdout: "" });
});

test("does not pass a runtime without a preset to gt", async () => {
  const user = await townie({ hasGt: true });
  onTestFinished(async () => {
    await runWarm(user, ["daemon", "stop"]);
  });
  const { stderr, exitCode } = await runWarm(user, [
    ...["gt", "witness", "greenplace", "--runtime", "droid"],
  ]);
  expect(stderr).toContain("gt has no preset for droid. Halyard starts the session instead.");
  expect(stderr).toContain("droid cannot run here");
  expect(exitCode).toBe(3);
  expect(await callsOf(user)).toEqual(["config agent get droid"]);
});

async function callsOf({ cwd }: User): Promise<string[]> {
  return (await readFile(join(cwd, "calls"), "utf8")).trim().split("\n");
}
