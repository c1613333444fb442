import { expect, test } from "vitest";
import {
  allowedEnvironment,
  credentialsIn,
  homeIn,
  withAbsoluteDirectories,
  withCredentials,
} from "./environment.ts";

test("passes variables that describe the machine and its user", () => {
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

test("does not pass keys or unknown variables", () => {
  const env = { PATH: "/bin", ANTHROPIC_API_KEY: "k", HALYARD_API_KEY: "k", NODE_OPTIONS: "-r x" };
  expect(allowedEnvironment(env)).toEqual({ PATH: "/bin" });
});

test("adds extra variables, and replaces existing variables of the same name", () => {
  const env = { PATH: "/bin", LANG: undefined };
  expect(allowedEnvironment(env, { PATH: "/opt/bin", TOKEN: "t" })).toEqual({
    PATH: "/opt/bin",
    TOKEN: "t",
  });
});

test("drops directory variables that are empty or relative, and no others", () => {
  const kept = { PATH: "", HOME: "/home/me", XDG_DATA_DIRS: "", XDG_SESSION_TYPE: "tty", A: "b" };
  const dropped = { TMPDIR: "", XDG_RUNTIME_DIR: "run", XDG_CONFIG_HOME: "", CODEX_HOME: "./c" };
  expect(withAbsoluteDirectories({ ...kept, ...dropped })).toEqual(kept);
});

test("does not fall back to the working directory if HOME is empty", () => {
  expect(homeIn({ HOME: "/home/me" })).toBe("/home/me");
  expect(homeIn({ HOME: "" })).toBe("/nonexistent");
});

test("replaces all credentials of this process with the caller's", () => {
  const env = { PATH: "/bin", OPENAI_API_KEY: "old", AWS_PROFILE: "old", HALYARD_MODEL: "old" };
  const theirs = credentialsIn({ PATH: "/theirs", OPENAI_API_KEY: "new", HALYARD_TOKEN: "t" });
  expect(theirs).toEqual({ OPENAI_API_KEY: "new" });
  expect(withCredentials(env, theirs)).toEqual({ PATH: "/bin", OPENAI_API_KEY: "new" });
  expect(withCredentials(env, undefined)).toBe(env);
  expect(withCredentials(env, { PATH: "/theirs" })).toEqual({ PATH: "/bin" });
});
