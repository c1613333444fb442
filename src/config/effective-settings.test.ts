import { expect, test } from "vitest";
import type { Config } from "./config.ts";
import { effectiveSettings } from "./effective-settings.ts";
import { SettingsFile } from "./files/settings.ts";

function config(project: object, user: object = {}, isTrusted = false): Config {
  const path = "/work/halyard.json";
  return {
    settings: { path, directory: "/work", isTrusted, value: SettingsFile.parse(project) },
    userSettings: { path: "/home/config.json", value: SettingsFile.parse(user) },
  };
}

const projectHook = { file: "/tmp/project.jsonl" };
const userHook = { file: "/tmp/user.jsonl" };

test("prefers the project's settings to the user's, key by key", () => {
  expect(effectiveSettings(config({ model: "a" }, { model: "b", permissions: "deny" }))).toEqual({
    model: "a",
    permissions: "deny",
    hooks: [],
    warnings: [],
  });
});

test("lets an untrusted project restrict permissions", () => {
  const settings = effectiveSettings(config({ permissions: "deny" }, { permissions: "allow-all" }));
  expect(settings).toEqual({ permissions: "deny", hooks: [], warnings: [] });
});

test.each([
  ["allow-all", {}, "ask"],
  ["allow-edits", {}, "ask"],
  ["allow-all", { permissions: "allow-edits" }, "allow-edits"],
  ["ask", { permissions: "deny" }, "deny"],
])(
  "ignores an untrusted project's looser permissions %s if the user's settings are %j",
  (permissions, user, holds) => {
    expect(effectiveSettings(config({ permissions }, user))).toEqual({
      permissions: holds,
      hooks: [],
      warnings: [
        `/work/halyard.json sets the permissions ${permissions}, which are ignored in favor of ${holds}: /work is not trusted. If you know who wrote it, run "halyard trust /work".`,
      ],
    });
  },
);

test("uses a project's hooks in addition to the user's, but only if the project is trusted", () => {
  const project = { permissions: "allow-all", hooks: [projectHook] };
  const user = { hooks: [userHook] };
  const strange = effectiveSettings(config(project, user));
  expect(strange.hooks).toEqual([userHook]);
  expect(strange.warnings[1]).toMatch(/has hooks, which are ignored: .*halyard trust \/work"\.$/);
  expect(effectiveSettings(config(project, user, true))).toEqual({
    permissions: "allow-all",
    hooks: [userHook, projectHook],
    warnings: [],
  });
});
