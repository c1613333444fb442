import { expect, test } from "vitest";
import { createColors } from "../text/colors.ts";
import { systemNote } from "./system-note.ts";

test.each([
  [{ state: "started" }, undefined, "○ compacting the conversation"],
  [{ state: "completed" }, undefined, "○ the conversation was compacted"],
  [undefined, undefined, "○ the conversation was compacted"],
  [{ state: "aborted" }, undefined, "○ the compaction was cancelled"],
  [{ state: "failed" }, "Connection error.", "○ Connection error."],
])("shows a compaction with the data %j and the text %j as %j", (data, text, expected) => {
  const event = {
    type: "system" as const,
    subtype: "compaction" as const,
    ...(text !== undefined && { text }),
    ...(data && { data }),
  };
  expect(systemNote(event, createColors(false, {}), { echo: false })).toBe(expected);
});
