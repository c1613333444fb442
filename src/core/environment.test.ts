import { expect, test } from "vitest";
import { allowedEnvironment } from "./environment.ts";

test("what tells of the machine and its user is passed on", () => {
  const env = {
    PATH: "/bin",
    HOME: "/home/ada",
    LC_ALL: "C",
    XDG_CONFIG_HOME: "/home/ada/.config",
    https_proxy: "http://proxy:3128",
    Path: "C:\\Windows",
  };
  expect(allowedEnvironment(env)).toEqual(env);
});

test("keys and everything else unknown stay behind", () => {
  const env = { PATH: "/bin", ANTHROPIC_API_KEY: "k", HALYARD_API_KEY: "k", NODE_OPTIONS: "-r x" };
  expect(allowedEnvironment(env)).toEqual({ PATH: "/bin" });
});

test("what is added by name is there, and goes before what was there", () => {
  const env = { PATH: "/bin", LANG: undefined };
  expect(allowedEnvironment(env, { PATH: "/opt/bin", TOKEN: "t" })).toEqual({
    PATH: "/opt/bin",
    TOKEN: "t",
  });
});
