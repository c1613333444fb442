import { expect, test } from "vitest";
import { toToolCall } from "./updates.ts";

test.each([
  ["/work/a", "a"],
  ["/work/..a/b", "..a/b"],
  ["/workshop/a", "workshop/a"],
  ["/other", "other"],
])("names %s in a patch as %s", (path, name) => {
  const hunks = "@@ -1 +1 @@\n-one\n+two\n";
  const edits = [{ path, operation: "modify", before: "one", after: "two", hunks }] as const;
  const tool = { callId: "1", name: "edit", title: "Edit", kind: "edit", input: {} } as const;
  const { content } = toToolCall({ ...tool, paths: [path], edits }, "/work");
  const text = `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n${hunks}`;
  const changes = [{ operation: "modify", path }];
  expect(content).toEqual([{ type: "diff", changes, patch: { format: "git_patch", text } }]);
});
