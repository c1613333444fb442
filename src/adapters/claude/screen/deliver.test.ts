import { expect, test } from "vitest";
import { createDeferred } from "../../../async/deferred.ts";
import type { Screen } from "../../../contracts/terminal.ts";
import { deliver, type ScreenDelivery } from "./deliver.ts";

const RULE = "─".repeat(80);

/** Returns a screen of a working Claude with this text in its input box. */
function box(text: string): Screen {
  const lines = [RULE, `❯ ${text}`, RULE, "  esc to interrupt"];
  return { lines, title: "◐ Claude Code", cursor: { row: 1, column: 99 }, scrolled: 0 };
}

const dialog: Screen = {
  lines: ["Do you want to proceed?", " ❯ 1. Yes", "   2. No", " Esc to cancel"],
  title: "✳ Claude Code",
  cursor: { row: 1, column: 0 },
  scrolled: 0,
};

test("presses Enter no second time when a dialog has replaced the input line", async () => {
  let screen = box("");
  let looksAtDialog = 0;
  const pressed: string[] = [];
  const accepted = createDeferred<void>();
  const terminal: ScreenDelivery["terminal"] = {
    look: async () => {
      if (screen === dialog && ++looksAtDialog === 2) accepted.resolve();
      return screen;
    },
    paste: async (text) => {
      screen = box(text);
    },
    press: async (...keys) => {
      pressed.push(...keys);
      screen = dialog;
    },
    exclusively: (action) => action(),
  };
  const delivery = { text: "go left", state: "busy", keys: ["Enter"] } as const;
  const receipt = await deliver({ ...delivery, terminal, accepted: accepted.promise });
  expect(receipt).toEqual({ status: "confirmed" });
  expect(pressed).toEqual(["Enter"]);
});
