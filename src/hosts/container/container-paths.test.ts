import { expect, test } from "vitest";
import { planContainer } from "./container-paths.ts";

const home = "/home/me/.halyard";

test("shares a container only between sessions with the same directory and options", () => {
  const key = (cwd: string, container = {}) => planContainer(home, { cwd, container }).key;
  expect(key("/work/a")).toBe(key("/work/a"));
  expect(key("/work/a")).toMatch(/^a-[0-9a-f]{10}$/);
  expect(key("/work/b")).not.toBe(key("/work/a"));
  expect(key("/work/a", { network: "none" })).not.toBe(key("/work/a"));
  expect(key("/work/a", { network: "none", cpus: 1 })).toBe(
    key("/work/a", { cpus: 1, network: "none" }),
  );
  expect(planContainer("/another", { cwd: "/work/a" }).key).not.toBe(key("/work/a"));
});

test("uses one container for all workspaces of a project, whatever the session's options", () => {
  const plan = (workspace: string, container = {}) =>
    planContainer(home, {
      cwd: `/p/projects/p1/workspaces/${workspace}`,
      project: "p1",
      container,
    });
  expect(plan("one")).toMatchObject({ workspace: "/p/projects/p1/workspaces", project: "p1" });
  expect(plan("two", { cpus: 1 }).key).toBe(plan("one").key);
  expect(planContainer(home, { cwd: "/elsewhere", project: "p1" })).toMatchObject({
    workspace: "/elsewhere",
  });
});

test("derives a key that engines accept as a name, and names the container directory after it", () => {
  const { key, directory } = planContainer(home, { cwd: "/work/Ünusual name (2)" });
  expect(directory).toBe(`${home}/containers/${key}`);
  expect(key).toMatch(/^[a-zA-Z0-9][a-zA-Z0-9-]*$/);
});
