import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser, type User } from "../../../test/cli/start-cli.ts";
import { ProjectOptions } from "../../schema/project/project-options.ts";
import { type ScriptedModel, startScriptedModel } from "../../testing/scripted-model.ts";

let model: ScriptedModel;
beforeAll(async () => {
  const write = { name: "write", input: { path: "made.txt", content: "made" } };
  model = await startScriptedModel([{ replies: [{ toolCalls: [write] }, { text: "Written." }] }]);
});
afterAll(() => model.close());

const key = "planted-secret-0815";

/** Creates a user with a config directory whose files contain keys. */
async function configured(): Promise<User> {
  const user = await newUser();
  const config = join(user.cwd, "config");
  await mkdir(config);
  const { id, ...endpoint } = model.endpoint("anthropic");
  const models = { scripted: { model: id, ...endpoint }, other: { model: "o", apiKey: key } };
  const defaults = { session_model: "scripted" };
  await writeFile(join(config, "models.json"), JSON.stringify({ models, defaults }));
  await writeFile(join(config, "factory.json"), JSON.stringify({ api_key: key }));
  await writeFile(join(config, "server.json"), '{ "agent_runtime": "auto" } // droid, by the key');
  await runWarm(user, ["trust", user.cwd]);
  return user;
}

test("runs sessions in a project's workspace with the project's runtime, and deletes the project", async () => {
  const user = await configured();
  const create = ["project", "create", "site", "--runtime", "pi", "--max-cost", "2.50"];
  const { stdout: id } = await runWarm(user, create);
  const run = ["run", "--project", "site", "-p", "allow-all", "--format", "quiet", "Write it"];
  expect(await runWarm(user, run)).toMatchObject({ exitCode: 0, stdout: "Written.\n" });

  const project = join(user.cwd, "projects", id.trim());
  const [workspace = ""] = await readdir(join(project, "workspaces"));
  expect(await readFile(join(project, "workspaces", workspace, "made.txt"), "utf8")).toBe("made");
  const { stdout: shown } = await runWarm(user, ["project", "show", "site", "--format", "json"]);
  expect(JSON.parse(shown)).toMatchObject({
    id: id.trim(),
    agent_runtime: "pi",
    workspaces: [workspace],
    limits: { max_recursion_depth: 3, max_agents_per_session: 50, max_cost_usd: 2.5 },
    sessions: 1,
  });
  const { stdout: listed } = await runWarm(user, ["project", "list"]);
  expect(listed).toMatch(new RegExp(`^${id.trim()}  site  pi `, "m"));

  expect(await runWarm(user, ["project", "delete", "site"])).toMatchObject({ exitCode: 0 });
  expect(await readdir(join(user.cwd, "projects"))).toEqual([]);
  expect(await runWarm(user, ["project", "show", "site"])).toMatchObject({ exitCode: 4 });
});

test("project options lists runtimes and models, but no key", async () => {
  const user = await configured();
  const { stdout, stderr } = await runWarm(user, ["project", "options", "--format", "json"]);
  expect(ProjectOptions.parse(JSON.parse(stdout))).toMatchObject({
    agent_runtimes: { default: "auto", resolved: "droid" },
    models: { available: [{ name: "scripted" }, { name: "other" }], default: "scripted" },
  });
  expect(stdout + stderr).not.toContain(key);
  const { stdout: text } = await runWarm(user, ["project", "options"]);
  expect(text).toMatch(/^default +auto: droid$/m);
  expect(text).not.toContain(key);
});

test("stores the canonical name of a runtime that is passed by alias", async () => {
  const user = await newUser();
  const create = ["project", "create", "x", "--runtime", "claude-code", "--format", "json"];
  const { stdout } = await runWarm(user, create);
  expect(JSON.parse(stdout)).toMatchObject({ name: "x", agent_runtime: "claude" });
});

test("rejects a project with an unknown runtime", async () => {
  const user = await newUser();
  const { exitCode, stderr } = await runWarm(user, ["project", "create", "x", "-r", "emacs"]);
  expect(exitCode).toBe(3);
  expect(stderr).toContain('Unknown runtime "emacs". Known: auto, ');
});

test.each(["--max-cost=lots", "--max-depth=-1"])("rejects %s as a limit", async (flag) => {
  const { exitCode, stderr } = await runWarm(await newUser(), ["project", "create", "x", flag]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("Expected a");
});

test("rejects a second project with the same name, and deletes only by full id or name", async () => {
  const user = await newUser();
  const { stdout } = await runWarm(user, ["project", "create", "site"]);
  const id = stdout.trim();
  const again = await runWarm(user, ["project", "create", "site"]);
  expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(id) });
  for (const text of [id.slice(0, 2), id.slice(0, -1)])
    expect(await runWarm(user, ["project", "delete", text])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`halyard project delete ${id}`),
    });
  const { exitCode, stderr } = await runWarm(user, ["project", "show", "sites"]);
  expect([exitCode, stderr]).toEqual([4, expect.stringContaining('Did you mean "site"?')]);
  expect(await runWarm(user, ["project", "delete", "site"])).toMatchObject({ exitCode: 0 });
});
