import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser, type User } from "../../../test/cli/start-cli.ts";
import { RuntimeDecision } from "../../schema/runtimes/runtime-decision.ts";

async function userWith(files: Readonly<Record<string, string>>): Promise<User> {
  const user = await newUser();
  for (const [path, text] of Object.entries(files)) {
    const file = join(user.cwd, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return user;
}

async function explain(user: User, ...args: string[]): Promise<RuntimeDecision> {
  const ran = await runWarm(user, ["runtime", "explain", "--format", "json", ...args]);
  expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
  return RuntimeDecision.parse(JSON.parse(ran.stdout));
}

const site = "1b4e28ba-2fa1-4d1a-883f-0016d3cca427";
const workspace = "6fa459ea-ee8a-4ca4-894e-db77e160355e";

const oubliette = {
  "config/server.json": '{ "agent_runtime": "auto" }',
  "config/factory.json": '{ "api_key": "fk-planted" }',
  "config/models.json": '{ "models": { "m": { "model": "m", "apiKey": "sk-planted" } } }',
  [`projects/${site}/metadata.json`]: JSON.stringify({
    id: site,
    name: "site",
    created_at: "2026-01-01T00:00:00.000Z",
    default_workspace_id: workspace,
    agent_runtime: "opencode",
  }),
  [`projects/${site}/workspaces/${workspace}/halyard.json`]: "{}",
  "halyard.json": '{ "agents": { "list": [{ "id": "coder", "runtime": "codex" }] } }',
};

test("prints the runtime, its source and the deciding step [s0.factory.auto-detect]", async () => {
  const user = await userWith(oubliette);
  const decision = await explain(user);
  expect(decision).toMatchObject({ runtime: "droid", source: "server", explicit: false });
  expect(decision.steps.filter(({ decided }) => decided)).toEqual([
    {
      source: "server",
      file: join(user.cwd, "config/server.json"),
      key: "agent_runtime",
      runtime: "droid",
      decided: true,
      reason: `the value is auto, and ${join(user.cwd, "config/factory.json")} contains a key`,
    },
  ]);
});

test.each([
  [["--project", site], "opencode", "project"],
  [["--project", site.slice(0, 4)], "opencode", "project"],
  [["--project", "site"], "opencode", "project"],
  [["--agent-id", "coder"], "codex", "agent"],
  [["--agent-id", "coder", "--project", "site"], "opencode", "project"],
  [["--runtime", "claude", "--project", "site"], "claude", "request"],
])("explain %j chooses %s, set by %s", async (args, runtime, source) => {
  expect(await explain(await userWith(oubliette), ...args)).toMatchObject({ runtime, source });
});

test("prints the steps as a table and marks the deciding step", async () => {
  const user = await userWith({ ".gastown/runtime.json": '{ "runtime": "codex" }' });
  const { stdout } = await runWarm(user, ["runtime", "explain"]);
  expect(stdout).toMatch(/^codex, set by rig\n\n {2}request +no runtime was requested\n/);
  expect(stdout).toMatch(
    /\n✓ rig +~\/project\/\.gastown\/runtime\.json: runtime +it names codex\n/,
  );
  expect(stdout).toMatch(/\n {2}built-in +it names pi, but rig takes precedence\n/);
  expect(stdout).toMatch(/\nIf codex cannot run, the session fails to start\.\n$/);
});

test("explain, list, doctor and errors print no key [s2.d6.keys-stay-private]", async () => {
  const user = await userWith({ ...oubliette, "halyard.json": '{ "model": "m" }' });
  const broken = '{ "models": { "m": { "model": "m", "apiKey": ["sk-planted"] } } }';
  for (const args of [["explain"], ["explain", "--format", "json"], ["list"], ["doctor"]]) {
    const { stdout, stderr } = await runWarm(user, ["runtime", ...args]);
    expect(stdout).not.toBe("");
    expect(stdout + stderr).not.toContain("planted");
  }
  await writeFile(join(user.cwd, "config/models.json"), broken);
  const { exitCode, stderr } = await runWarm(user, ["runtime", "explain"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("models.m.apiKey: expected string");
  expect(stderr).not.toContain("planted");
});

test("rejects a malformed runtime name", async () => {
  const ran = await runWarm(await newUser(), ["runtime", "explain", "--runtime", "Not A Name"]);
  expect(ran).toMatchObject({ exitCode: 2, stdout: "" });
});

test("rejects an unknown project, and a name that two projects share", async () => {
  const other = site.replace("1b4e", "2c5f");
  const metadata = oubliette[`projects/${site}/metadata.json`] ?? "";
  const copy = { [`projects/${other}/metadata.json`]: metadata.replace(site, other) };
  const user = await userWith({ ...oubliette, ...copy });
  const explained = (name: string) => runWarm(user, ["runtime", "explain", "--project", name]);
  expect(await explained("p2")).toMatchObject({ exitCode: 4, stdout: "" });
  expect(await explained("site")).toMatchObject({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringContaining('"site" matches several projects'),
  });
});
