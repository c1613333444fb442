import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, serve } from "../../test/http/served.ts";
import { expectAccessible } from "../../test/web/axe.ts";
import { launchBrowser, newTab, signIn } from "../../test/web/browser.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

/** Waits until the session has recorded this number of checkpoints. */
async function untilCheckpoints(served: Served, id: string, count: number): Promise<void> {
  let seen = 0;
  for await (const event of served.halyard.events(id))
    if (event.type === "system" && event.subtype === "checkpoint" && ++seen === count) return;
}

test("shows changes by turn, sends comments on lines as one message, and rewinds the files", async () => {
  await using served = await serve({ web: "dist/web" });
  const file = join(served.cwd, "notes.txt");
  await writeFile(file, "one\ntwo\n");
  const id = await served.start();
  const session = await served.halyard.session(id);
  await untilCheckpoints(served, id, 1); // the checkpoint at the start
  await session.send("sh printf 'one\\nTWO\\n' > notes.txt").outcome;
  await untilCheckpoints(served, id, 2); // the checkpoint after the first turn
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
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Send 2 comments" }).click();
  await page.locator(".item.user", { hasText: "I have 2 comments" }).waitFor();
  expect(await page.locator(".item.user").last().locator(".said").textContent()).toBe(
    "I have 2 comments on your changes:\n\nnotes.txt:2\n> TWO\nnot in capitals\n\nnotes.txt:3\n> three\nwhy?",
  );

  await page.getByLabel("Turn").selectOption({ label: "Turn 1" });
  await page.getByRole("button", { name: "Rewind files to this turn" }).click();
  await page.getByText("The files were restored to their state at the end of the turn.").waitFor();
  expect(await readFile(file, "utf8")).toBe("one\nTWO\n");
  expect(problems).toEqual([]);
});

test("keeps comments while another turn, another session or newer changes are shown", async () => {
  await using served = await serve({ web: "dist/web" });
  const file = join(served.cwd, "notes.txt");
  await writeFile(file, "one\ntwo\n");
  const id = await served.start();
  const other = await served.start();
  const session = await served.halyard.session(id);
  await untilCheckpoints(served, id, 1);
  await session.send("sh printf 'one\\nTWO\\n' > notes.txt").outcome;
  await untilCheckpoints(served, id, 2);
  const { page, problems } = await newTab(browser);
  await signIn(page, served.url, `s/${id}`);
  const comment = page.locator(".changes .comment", { hasText: "not in capitals" });
  await page.getByLabel("Comment on line 2").last().click();
  await page.getByLabel("Comment", { exact: true }).fill("not in capitals");
  await page.keyboard.press("Enter");
  await comment.waitFor();

  await page.getByLabel("Comment on line 1").click();
  await page.getByLabel("Comment", { exact: true }).fill("half a sentence");
  await session.send("sh printf 'one\\nTWO\\nthree\\n' > notes.txt").outcome;
  await page.locator(".diff-line.added", { hasText: "three" }).waitFor();
  expect(await page.getByLabel("Comment", { exact: true }).inputValue()).toBe("half a sentence");
  await page.keyboard.press("Escape");
  await comment.waitFor();

  await page.getByLabel("Turn").selectOption({ label: "Turn 2" });
  await page.waitForFunction(() => document.querySelectorAll(".diff-line.added").length === 1);
  await page.getByLabel("Turn").selectOption({ label: "All turns" });
  await comment.waitFor();

  await page.evaluate((hash) => location.assign(hash), `#/s/${other}`);
  await page.getByText("No files changed.").waitFor();
  await page.evaluate((hash) => location.assign(hash), `#/s/${id}`);
  await comment.waitFor();
  await page.getByRole("button", { name: "Send 1 comment" }).click();
  await page.locator(".item.user", { hasText: "I have a comment" }).waitFor();
  await expect.poll(() => comment.count()).toBe(0); // the transcript may show the message before its receipt arrives
  expect(problems).toEqual([]);
});

test("shows hostile file names and hostile diff lines as text", async () => {
  await using served = await serve({ web: "dist/web" });
  const id = await served.start();
  const session = await served.halyard.session(id);
  const name = "<img src=x onerror=hacked()>.txt";
  await session.send(`tool write ${name.replaceAll(" ", "_")} <script>hacked()</script>`).outcome;
  await writeFile(join(served.cwd, name), "<script>hacked()</script>\n\u202e\u001b[31mred\n");
  await session.send("say done").outcome;
  const { page, problems } = await newTab(browser);
  await signIn(page, served.url, `s/${id}`);
  await page.locator(".file .path", { hasText: name }).waitFor();
  expect(await page.locator(".changes img, .changes script").count()).toBe(0);
  await page.locator(".changes .diff-text", { hasText: "\\u202e\\u001b[31mred" }).waitFor();
  expect(problems).toEqual([]);
});
