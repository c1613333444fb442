import { expect, test } from "vitest";
import { escapeMessage, readComposer, showsMessage } from "./composer.ts";

const RULE = "─".repeat(80);
const FOOTER = "  ⏸ manual mode on · ? for shortcuts";

/** Returns a screen with this text in its input box. The cursor is after the text by default. */
function box(
  input: readonly string[],
  { title = "✳ Claude Code", footer = FOOTER, column = 99 } = {},
) {
  const lines = ["❯ an earlier message", "● Its answer.", "", RULE, ...input, RULE, footer];
  return { lines, title, cursor: { row: 3 + input.length, column } };
}

test.each([
  ["an empty line", box(["❯"]), { state: "idle", draft: "" }],
  ["a draft", box(["❯ two", "  lines"]), { state: "idle", draft: "two\nlines" }],
  ["a busy title", box(["❯"], { title: "◐ Claude Code" }), { state: "busy", draft: "" }],
  [
    "an older release's busy title",
    box(["❯"], { title: "⠂ Claude" }),
    { state: "busy", draft: "" },
  ],
  ["a garbage title", box(["❯"], { title: "Gi=31,s=1;AAAA" }), { state: "idle", draft: "" }],
  [
    "a permission request that is about to appear",
    box(["❯"], { footer: "  ⏸ manual mode on · esc to interrupt" }),
    { state: "busy", draft: "" },
  ],
  ["a hint", box(['❯ Try "fix lint errors"'], { column: 2 }), { state: "idle", draft: "" }],
  [
    "a user's text that looks like a hint",
    box(['❯ Try "fix it"']),
    { state: "idle", draft: 'Try "fix it"' },
  ],
])("reads %s from the screen", (_, screen, composer) => {
  expect(readComposer(screen)).toEqual(composer);
});

test.each([
  "Once fixed, resend your message",
  "Resend your message to try again",
  "Run /rewind to go back",
])("reads the input box as empty if it shows the hint %j after a model error", (hint) => {
  const screen = box([`❯ ${hint}`], { column: 2 });
  expect(readComposer(screen)).toEqual({ state: "idle", draft: "" });
});

test("distinguishes a dialog from a screen that is still starting", () => {
  const cursor = { row: 0, column: 0 };
  const dialog = ["Do you want to proceed?", " ❯ 1. Yes", "   2. No", " Esc to cancel"];
  expect(readComposer({ lines: dialog, title: "✳", cursor })).toEqual({ state: "dialog" });
  const logo = ["▐▛███▛█   Claude Code"];
  expect(readComposer({ lines: logo, title: "", cursor })).toEqual({ state: "starting" });
});

test.each([
  ["!ls", " !ls"],
  ["/help me", " /help me"],
  ["go on \\", "go on \\ "],
  ["look at @src/main", "look at @src/main "],
  ["a plain text", "a plain text"],
])("escapes %j so that it stays a plain message", (text, typed) => {
  expect(escapeMessage(text)).toBe(typed);
});

test("recognizes a message by its text without whitespace, or by a placeholder for pasted text", () => {
  expect(showsMessage({ draft: "one two\nthree" }, "one  two three")).toBe(true);
  expect(showsMessage({ draft: "[Pasted text #1 +40 lines]" }, "many lines")).toBe(true);
  expect(showsMessage({ draft: "one two" }, "one two three")).toBe(false);
});
