import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, serve } from "../../test/http/served.ts";
import { launchBrowser, newTab, signIn } from "../../test/web/browser.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

/** Waits until the session has recorded its files this often. */
async function untilCheckpoints(served: Served, id: string, count: number): Promise<void> {
  let seen = 0;
  for await (const event of served.halyard.events(id))
    if (event.type === "system" && event.subtype === "checkpoint" && ++seen === count) return;
}

test("shows changes by turn, sends comments on lines as one message, and rewinds", async () => {
  await using served = await serve({ web: "dist/web" });
  const file = join(served.cwd, "notes.txt");
  await writeFile(file, "one\ntwo\n");
  const id = await served.start({ checkpoints: true });
  const session = await served.halyard.session(id);
  await untilCheckpoints(served, id, 1); // the files at the start
  await session.send("sh printf 'one\\nTWO\\n' > notes.txt").outcome;
  await untilCheckpoints(served, id, 2); // and after the first turn
  await session.send("sh printf 'one\\nTWO\\nthree\\n' > notes.txt; say done").outcome;
  const { page, problems } = await newTab(browser);
  await signIn(page, served.url, `s/${id}`);
  const added = page.locator(".changes .diff-line.added .diff-text");
  await added.nth(1).waitFor();
  expect(await added.allTextContents()).toEqual(["TWO", "three"]);

  await page.getByLabel("Turn").selectOption({ label: "Turn 2" });
  await page.waitForFunction(() => document.querySelectorAll(".diff-line.added").length === 1);
  expect(await added.allTextContents()).toEqual(["three"]);
  await page.getByLabel("Turn").selectOption({ label: "All turns" });
  await added.nth(1).waitFor();

  await page.getByLabel("Comment on line 2").last().click();
  await page.getByLabel("Comment", { exact: true }).fill("not in capitals");
  await page.keyboard.press("Enter");
  await page.getByLabel("Comment on line 3").click();
  await page.getByLabel("Comment", { exact: true }).fill("why?");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Send 2 comments" }).click();
  await page.locator(".item.user", { hasText: "I have 2 comments" }).waitFor();
  expect(await page.locator(".item.user").last().locator(".said").textContent()).toBe(
    "I have 2 comments on your changes:\n\nnotes.txt:2\n> TWO\nnot in capitals\n\nnotes.txt:3\n> three\nwhy?",
  );

  await page.getByLabel("Turn").selectOption({ label: "Turn 1" });
  await page.getByRole("button", { name: "Rewind files to this turn" }).click();
  await page.getByText("The files are as they were at the end of the turn.").waitFor();
  expect(await readFile(file, "utf8")).toBe("one\nTWO\n");
  expect(problems).toEqual([]);
});
