import { expect, test } from "vitest";
import { defuse, readComposer, shows } from "./composer.ts";

const RULE = "─".repeat(80);
const FOOTER = "  ⏸ manual mode on · ? for shortcuts";

/** A screen with that in its input line, the cursor behind it unless said otherwise. */
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
  ["work", box(["❯"], { title: "◐ Claude Code" }), { state: "busy", draft: "" }],
  ["work in an older release", box(["❯"], { title: "⠂ Claude" }), { state: "busy", draft: "" }],
  ["a title that is none", box(["❯"], { title: "Gi=31,s=1;AAAA" }), { state: "idle", draft: "" }],
  [
    "a permission that is about to be asked",
    box(["❯"], { footer: "  ⏸ manual mode on · esc to interrupt" }),
    { state: "busy", draft: "" },
  ],
  ["a hint", box(['❯ Try "fix lint errors"'], { column: 2 }), { state: "idle", draft: "" }],
  ["somebody who tries", box(['❯ Try "fix it"']), { state: "idle", draft: 'Try "fix it"' }],
])("%s is read off the screen", (_, screen, composer) => {
  expect(readComposer(screen)).toEqual(composer);
});

test("a dialog is no place to type, and neither is what is not there yet", () => {
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
])("%j is typed so that it stays a text", (text, typed) => {
  expect(defuse(text)).toBe(typed);
});

test("a message is known again however the line breaks it", () => {
  expect(shows({ draft: "one two\nthree" }, "one  two three")).toBe(true);
  expect(shows({ draft: "[Pasted text #1 +40 lines]" }, "many lines")).toBe(true);
  expect(shows({ draft: "one two" }, "one two three")).toBe(false);
});
