import fc from "fast-check";
import { expect, test } from "vitest";
import { unifiedDiff } from "./diff.ts";

test("includes three lines of context before and after an edit", () => {
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  expect(unifiedDiff("/a.txt", before, before.replace("5", "five"))).toBe(
    "--- /a.txt\n+++ /a.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
  );
});

test("writes /dev/null as the old path of a new file", () => {
  expect(unifiedDiff("/a.txt", undefined, "x\n")).toBe(
    "--- /dev/null\n+++ /a.txt\n@@ -0,0 +1,1 @@\n+x\n",
  );
});

test("returns undefined for equal texts", () => {
  expect(unifiedDiff("/a.txt", "x", "x")).toBeUndefined();
});

test("marks a last line without a newline", () => {
  expect(unifiedDiff("/a", "a", "b")).toBe(
    "--- /a\n+++ /a\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
  );
});

test("writes as many lines as the hunk header states", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c"))
    .map((lines) => lines.map((line) => `${line}\n`).join(""));
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after);
      const [, , header = "", ...lines] = (unifiedDiff("/a", before, after) ?? "").split("\n");
      const [, old, now] = /^@@ -\d+,(\d+) \+\d+,(\d+) @@$/.exec(header) ?? [];
      expect(lines.filter((line) => /^[ -]/.test(line))).toHaveLength(Number(old));
      expect(lines.filter((line) => /^[ +]/.test(line))).toHaveLength(Number(now));
    }),
  );
});
