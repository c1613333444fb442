import { expect, test } from "vitest";
import { toolArgument } from "./tool-argument.ts";

test.each([
  [{ description: "run tests", command: "npm test" }, "npm test"],
  [{ title: "Edit two files", paths: ["a.ts", "b.ts"] }, "a.ts b.ts"],
  [{ title: "Search the web", paths: [] }, "Search the web"],
  [{ paths: [] }, ""],
  [{ depth: 2, filter: "", tags: [] }, '{"depth":2}'],
  [{}, ""],
  ["plain text", "plain text"],
  [undefined, ""],
])("summarizes %j as %j", (input, shown) => {
  expect(toolArgument(input)).toBe(shown);
});
