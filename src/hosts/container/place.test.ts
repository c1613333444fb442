import { expect, test } from "vitest";
import { placeOf } from "./place.ts";

const home = "/home/me/.halyard";

test("sessions in the same directory that ask for the same share a place, and no others do", () => {
  const key = (cwd: string, container = {}) => placeOf(home, { cwd, container }).key;
  expect(key("/work/a")).toBe(key("/work/a"));
  expect(key("/work/a")).toMatch(/^a-[0-9a-f]{10}$/);
  expect(key("/work/b")).not.toBe(key("/work/a"));
  expect(key("/work/a", { network: "none" })).not.toBe(key("/work/a"));
  expect(key("/work/a", { network: "none", cpus: 1 })).toBe(
    key("/work/a", { cpus: 1, network: "none" }),
  );
  expect(placeOf("/another", { cwd: "/work/a" }).key).not.toBe(key("/work/a"));
});

test("a project has one place for all its workspaces, whatever a session asks for", () => {
  const place = (workspace: string, container = {}) =>
    placeOf(home, { cwd: `/p/projects/p1/workspaces/${workspace}`, project: "p1", container });
  expect(place("one")).toMatchObject({ workspace: "/p/projects/p1/workspaces", project: "p1" });
  expect(place("two", { cpus: 1 }).key).toBe(place("one").key);
  expect(placeOf(home, { cwd: "/elsewhere", project: "p1" })).toMatchObject({
    workspace: "/elsewhere",
  });
});

test("what is kept of sessions lies in the place's own directory, by a name that engines take", () => {
  const { key, directory } = placeOf(home, { cwd: "/work/Ünusual name (2)" });
  expect(directory).toBe(`${home}/containers/${key}`);
  expect(key).toMatch(/^[a-zA-Z0-9][a-zA-Z0-9-]*$/);
});
