import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { Projects } from "./projects.ts";

async function openProjects(): Promise<{ root: string; projects: Projects }> {
  const root = await temporaryDirectory();
  let second = 0;
  const now = () => new Date(Date.UTC(2026, 0, 1, 0, 0, second++));
  return { root, projects: new Projects({ env: {}, home: root, root, now }) };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test("creates a metadata.json and a workspace with a UUID [s2.config.project-metadata]", async () => {
  const { root, projects } = await openProjects();
  const project = await projects.create({
    name: "site",
    agent_runtime: "opencode",
    max_cost_usd: 2,
  });
  const file = join(root, "projects", project.id, "metadata.json");
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
    id: expect.stringMatching(uuid),
    name: "site",
    created_at: "2026-01-01T00:00:00.000Z",
    default_workspace_id: expect.stringMatching(uuid),
    agent_runtime: "opencode",
    recursion_config: { max_cost_usd: 2 },
  });
  const workspace = await projects.openWorkspace(project);
  expect(workspace).toBe(
    join(root, "projects", project.id, "workspaces", project.default_workspace_id),
  );
  expect((await stat(workspace)).isDirectory()).toBe(true);
  expect(await readdir(join(root, "projects", project.id))).toEqual([
    ".gitignore",
    "metadata.json",
    "workspaces",
  ]);
});

test("adds a .gitignore for the files with keys in a project and in config [s2.keys.gitignored]", async () => {
  const { root, projects } = await openProjects();
  const { id } = await projects.create({ name: "site" });
  const secret = [
    "config/factory.json",
    "config/models.json",
    `projects/${id}/.factory/settings.json`,
  ];
  const open = ["config/server.json", `projects/${id}/metadata.json`];
  for (const file of [...secret, ...open]) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    if (secret.includes(file)) await writeFile(join(root, file), '{ "apiKey": "sk-planted" }');
    else if (file.startsWith("config")) await writeFile(join(root, file), "{}");
  }
  execFileSync("git", ["init", "--quiet", root]);
  execFileSync("git", ["-C", root, "add", "--all"]);
  const added = execFileSync("git", ["-C", root, "ls-files"], { encoding: "utf8" }).split("\n");
  expect(added).toEqual(expect.arrayContaining(open));
  expect(added.filter((file) => secret.includes(file))).toEqual([]);
});

test("finds projects, lists them newest first, and deletes them", async () => {
  const { root, projects } = await openProjects();
  expect(await projects.list()).toEqual({ projects: [], problems: [] });
  const first = await projects.create({ name: "first" });
  const second = await projects.create({ name: "second", description: "the other one" });
  expect(await projects.get(first.id)).toEqual(first);
  expect(await projects.list()).toEqual({ projects: [second, first], problems: [] });
  await projects.delete(first.id);
  expect(await projects.list()).toEqual({ projects: [second], problems: [] });
  expect(await readdir(join(root, "projects"))).toEqual([second.id]);
  await expect(projects.delete(first.id)).rejects.toMatchObject({ code: "project_not_found" });
});

test("creates additional workspaces, and rejects an unknown workspace", async () => {
  const { projects } = await openProjects();
  const project = await projects.create({ name: "site" });
  const other = await projects.createWorkspace(project);
  expect((await projects.workspaces(project)).sort()).toEqual(
    [project.default_workspace_id, other].sort(),
  );
  expect(await projects.openWorkspace(project, other)).toContain(other);
  await expect(projects.openWorkspace(project, "../..")).rejects.toMatchObject({
    code: "invalid_input",
  });
});

test("preserves unknown keys in metadata.json, and lists the other projects if one is invalid", async () => {
  const { root, projects } = await openProjects();
  const sound = await projects.create({ name: "sound" });
  const file = join(root, "projects", sound.id, "metadata.json");
  await writeFile(file, JSON.stringify({ ...sound, container_type: "dev" }));
  expect(await projects.get(sound.id)).toEqual({ ...sound, container_type: "dev" });

  const broken = join(root, "projects", "11111111-2222-4333-8444-555555555555");
  await mkdir(broken);
  await writeFile(join(broken, "metadata.json"), '{ "id": ');
  const list = await projects.list();
  expect(list.projects.map(({ name }) => name)).toEqual(["sound"]);
  expect(list.problems).toEqual([expect.stringContaining(join(broken, "metadata.json"))]);
});

test.each(["../config", "..", "", "site", "/etc"])("finds no project for the id %j", async (id) => {
  const { projects } = await openProjects();
  await projects.create({ name: "site" });
  await expect(projects.get(id)).rejects.toMatchObject({ code: "project_not_found" });
  await expect(projects.delete(id)).rejects.toMatchObject({ code: "project_not_found" });
});

test.each([
  [{ name: " " }, /^name: /],
  [{ name: "a", agent_runtime: "No Such" }, /^agent_runtime: /],
  [{ name: "a", max_cost_usd: -1 }, /^max_cost_usd: /],
  [{ name: "a", limits: {} }, /limits/],
])("rejects the invalid project %j", async (input, problem) => {
  const { projects } = await openProjects();
  await expect(projects.create(input)).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringMatching(problem),
  });
  expect(await projects.list()).toEqual({ projects: [], problems: [] });
});
