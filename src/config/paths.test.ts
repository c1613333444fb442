import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { configDirectory, homeDirectory, projectSettingsFiles } from "./paths.ts";

test("the home is HALYARD_HOME, or a folder of the user's", () => {
  expect(homeDirectory({ HALYARD_HOME: "/data/halyard" })).toBe("/data/halyard");
  expect(homeDirectory({ HALYARD_HOME: "" })).toBe(join(homedir(), ".halyard"));
});

test("the config directory is HALYARD_CONFIG, or config in the working directory", () => {
  expect(configDirectory({}, "/project")).toBe("/project/config");
  expect(configDirectory({ HALYARD_CONFIG: "/etc/halyard" }, "/project")).toBe("/etc/halyard");
});

test("a project's settings are looked for upwards", () => {
  expect(projectSettingsFiles("/a/b")).toEqual([
    "/a/b/halyard.json",
    "/a/halyard.json",
    "/halyard.json",
  ]);
});
