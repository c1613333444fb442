import { expect, test } from "vitest";
import { isWithin } from "./is-within.ts";

test.each(["/a", "/a/b", "/a/..b", "/a/..b/c", "/a/..."])("finds %s in /a", (path) => {
  expect(isWithin(path, "/a")).toBe(true);
  expect(isWithin(path, "/")).toBe(true);
});

test.each(["/", "/ab", "/b", "/b/a"])("does not find %s in /a", (path) => {
  expect(isWithin(path, "/a")).toBe(false);
});
