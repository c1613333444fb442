import { expect, onTestFinished, test } from "vitest";
import type { Screen } from "../../../contracts/terminal.ts";
import { eventually } from "../../../testing/eventually.ts";
import { DialogWatch } from "./dialog-watch.ts";

const RULE = "─".repeat(80);
const cursor = { row: 0, column: 0 };
const dialog = ["Do you want to proceed?", " ❯ 1. Yes", "   2. No", " Esc to cancel"];
const screens = {
  dialog: { lines: dialog, title: "✳", cursor, scrolled: undefined },
  working: { lines: [RULE, "❯", RULE], title: "◐ Claude", cursor, scrolled: undefined },
  transcript: { lines: ["● Bash(touch made)"], title: "✳", cursor, scrolled: undefined },
} satisfies Record<string, Screen>;

/**
 * Watches a terminal that shows these screens in turn, then the last one repeatedly. `onLook` runs before each look
 * ends.
 */
function watchScreens(
  names: readonly (keyof typeof screens)[],
  { open, onLook = () => {} }: { open: string[]; onLook?: (look: number) => void },
) {
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const allowed: string[] = [];
  const seen = { looks: 0, allowed };
  const terminal = {
    async look() {
      const name = names[seen.looks++] ?? names.at(-1) ?? "working";
      onLook(seen.looks);
      return screens[name];
    },
  };
  const permissions = {
    get first() {
      return open[0];
    },
    allowedOnScreen(id: string) {
      allowed.push(id);
      open.shift();
    },
  };
  new DialogWatch(terminal, permissions, end.signal).watch();
  return seen;
}

test("settles a request when its dialog is closed and Claude works", async () => {
  const seen = watchScreens(["dialog", "working"], { open: ["request"] });
  await eventually(() => expect(seen.allowed).toEqual(["request"]));
});

test("does not settle a request while another view hides its dialog", async () => {
  const seen = watchScreens(["dialog", "transcript"], { open: ["request"] });
  await eventually(() => expect(seen.looks).toBeGreaterThan(5));
  expect(seen.allowed).toEqual([]);
});

test("does not settle a request because of the previous request's dialog", async () => {
  const open = ["answered", "next"];
  const seen = watchScreens(["dialog", "working"], {
    open,
    onLook: (look) => look === 1 && open.shift(),
  });
  await eventually(() => expect(seen.looks).toBeGreaterThan(5));
  expect(seen.allowed).toEqual([]);
});
