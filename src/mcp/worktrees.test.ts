import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openScene } from "../../test/mcp/scene.ts";
import { newRepository } from "../../test/workspace/repository.ts";

test("adopts a worktree's changes and removes the worktree", async () => {
  const { call } = await openScene();
  const { root: directory, git, commit } = await newRepository();
  const spawned = await call("session_spawn", {
    agent_runtime: "fake",
    directory,
    worktree: true,
    message: "sh echo agent > a.txt; echo new > b.txt",
  });
  const { session_id, turn_id } = spawned;
  await call("session_wait", { session_id, turn_id });
  expect(await call("session_changes", { session_id, by: "agent" })).toMatchObject({
    files: [{ path: "a.txt" }, { path: "b.txt" }],
  });
  await call("session_end", { session_id });

  expect(await call("session_adopt", { session_id, directory })).toMatchObject({
    session_id,
    root: directory,
    files: 2,
  });
  expect(await readFile(join(directory, "b.txt"), "utf8")).toBe("new\n");
  await commit("a.txt", "mine\n");
  expect(await call("session_adopt", { session_id, directory })).toMatchObject({
    error: { code: "conflict", message: expect.stringContaining("nothing was changed") },
  });

  const found = { sessionId: session_id, state: "dirty" };
  expect(await call("worktree_prune")).toMatchObject({ worktrees: [{ ...found, removed: false }] });
  expect(await call("worktree_prune", { park: true, dry_run: true })).toMatchObject({
    worktrees: [{ ...found, removed: true }],
  });
  expect(await call("worktree_list")).toMatchObject({ worktrees: [found] });
  expect(await call("worktree_prune", { park: true })).toMatchObject({
    worktrees: [{ ...found, removed: true }],
  });
  expect(await call("worktree_list")).toEqual({ worktrees: [] });
  expect((await git("worktree", "list")).split("\n")).toHaveLength(1);
});

test("neither adopts changes nor removes worktrees without allow-all", async () => {
  const { call } = await openScene("allow-edits");
  const forbidden = { error: { code: "forbidden" } };
  expect(await call("worktree_prune")).toMatchObject(forbidden);
  expect(await call("session_adopt", { session_id: "ses_0123456789abcdef" })).toMatchObject(
    forbidden,
  );
});

test("runs a project's sessions in worktrees of its workspace if the project uses worktrees", async () => {
  const { root, halyard, call } = await openScene();
  const { git } = await newRepository();
  const project = await call("project_create", {
    name: "site",
    agent_runtime: "fake",
    worktree: true,
  });
  expect(project).toMatchObject({ worktree: true });
  const { id, default_workspace_id } = project;
  const workspace = join(root, "projects", String(id), "workspaces", String(default_workspace_id));
  const spawn = { project_id: id, message: "sh pwd > where" };
  expect(await call("session_spawn", spawn)).toMatchObject({
    error: { message: expect.stringContaining(workspace) },
  });
  await git("clone", "--quiet", ".", workspace);
  const { session_id, turn_id } = await call("session_spawn", spawn);
  await call("session_wait", { session_id, turn_id });
  const { worktree, cwd } = (await halyard.find(String(session_id))) ?? {};
  expect(worktree).toMatchObject({ path: cwd, origin: workspace });
  expect(await readFile(join(cwd ?? "", "where"), "utf8")).toBe(`${cwd}\n`);
  const handed = await call("session_handoff", { session_id, agent_runtime: "fake" });
  expect(await halyard.find(String(handed.session_id))).toMatchObject({ cwd });
  expect(await halyard.worktrees()).toHaveLength(1);
});
