import { expect, test } from "vitest";
import { createDeferred } from "../../../../async/deferred.ts";
import type { Screen } from "../../../../contracts/terminal.ts";
import { deliver, type ScreenDelivery } from "./deliver.ts";

const RULE = "─".repeat(80);

/** Returns the screen of a working Claude with this text in the input box. */
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

test("does not press Enter again if a dialog has replaced the input line", async () => {
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

test.each([
  [
    "a user's text",
    box("half a sentence"),
    /contains text that a user typed\. Submit or delete it/,
  ],
  ["a dialog", dialog, /is showing a dialog[^.]*\. Answer it/],
  [
    "an idle Claude",
    { ...box(""), lines: [RULE, "❯", RULE], title: "✳ Claude" },
    /^Claude is idle\./,
  ],
])(
  "rejects a steer with the reason and the remedy if the screen shows %s",
  async (_, screen, reason) => {
    const refuse = () => Promise.reject(new Error("typed into the screen"));
    const terminal: ScreenDelivery["terminal"] = {
      look: async () => screen,
      paste: refuse,
      press: refuse,
      exclusively: (action) => action(),
    };
    const delivery = { text: "go left", state: "busy", keys: ["Enter"] } as const;
    const sending = deliver({ ...delivery, terminal, accepted: new Promise(() => {}) });
    await expect(sending).rejects.toMatchObject({
      code: "delivery_failed",
      message: expect.stringMatching(reason),
    });
  },
);
