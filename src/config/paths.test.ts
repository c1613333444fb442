import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  configDirectory,
  homeDirectory,
  ownEnvironment,
  projectSettingsFiles,
  registryFile,
  tmuxSocket,
} from "./paths.ts";

test("returns HALYARD_HOME, or .halyard in the user's home if the variable is empty", () => {
  expect(homeDirectory({ HALYARD_HOME: "/data/halyard" })).toBe("/data/halyard");
  expect(homeDirectory({ HALYARD_HOME: "" })).toBe(join(homedir(), ".halyard"));
});

test("returns HALYARD_CONFIG, or config in the working directory", () => {
  expect(configDirectory({}, "/project")).toBe("/project/config");
  expect(configDirectory({ HALYARD_CONFIG: "/etc/halyard" }, "/project")).toBe("/etc/halyard");
});

test("searches the directory and its parents for a project's settings", () => {
  expect(projectSettingsFiles("/a/b")).toEqual([
    "/a/b/halyard.json",
    "/a/halyard.json",
    "/halyard.json",
  ]);
});

test.each(["", "here", "./here"])("ignores HOME and TMPDIR if their value is %j", async (value) => {
  vi.stubEnv("HOME", value);
  vi.stubEnv("TMPDIR", value);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(homeDirectory({})).toBe(join(userInfo().homedir, ".halyard"));
  expect(registryFile(ownEnvironment())).toBe(
    join(userInfo().homedir, ".gastown", "runtimes.json"),
  );
  expect(ownEnvironment()).toMatchObject({ HOME: userInfo().homedir });
  expect(ownEnvironment()).not.toHaveProperty("TMPDIR");
  expect(tmuxSocket(`/${"long".repeat(30)}`)).toMatch(/^\/tmp\//);
});
