import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serve } from "../../test/http/served.ts";
import { expectAccessible } from "../../test/web/axe.ts";
import { launchBrowser, newTab, signIn } from "../../test/web/browser.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

const web = "dist/web";
let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

/** Runs turns, exports the session as HTML, stops the server, and returns the file URL. */
async function exportSession(...messages: string[]): Promise<string> {
  await using served = await serve();
  const id = await served.start({ name: "recorded" });
  const session = await served.halyard.session(id);
  for (const message of messages) await session.send(message).outcome;
  const { text } = await served.call("GET", `/v1/sessions/${id}/export?format=html`);
  const file = join(await temporaryDirectory(), "session.html");
  await writeFile(file, text);
  return pathToFileURL(file).href;
}

test("shows an exported session from disk, without a server and without controls", async () => {
  const url = await exportSession("think First.; say Hello **world**", "sh echo from-the-shell");
  const { page, problems } = await newTab(browser, { offline: true });
  await page.goto(url);
  await page.locator(".item.text strong", { hasText: "world" }).waitFor();
  expect(await page.locator("h1").textContent()).toBe("recorded");
  await page.getByText("from-the-shell").first().waitFor();
  for (const control of ["Message", "More"]) expect(await page.getByLabel(control).count()).toBe(0);
  expect(problems).toEqual([]);
  await expectAccessible(page);
});

test("downloads a session from its menu as one file that opens from disk", async () => {
  const file = join(await temporaryDirectory(), "session.html");
  await using served = await serve({ web });
  const id = await served.start({ name: "recorded" });
  const session = await served.halyard.session(id);
  await session.send("say Hello **world**").outcome;
  const { page, problems } = await newTab(browser);
  await signIn(page, served.url, `s/${id}`);
  await page.getByText("world").first().waitFor();
  await page.keyboard.press("m");
  const started = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download as one HTML file" }).click();
  const download = await started;
  expect(download.suggestedFilename()).toBe("recorded.html");
  await download.saveAs(file);
  const { page: later } = await newTab(browser, { offline: true });
  await later.goto(pathToFileURL(file).href);
  await later.locator(".item.text strong", { hasText: "world" }).waitFor();
  expect(problems).toEqual([]);
});

test("runs no script from the log of an exported session", async () => {
  const hostile = "</script><script>document.title = 'owned'</script><img src=x onerror=owned()>";
  const url = await exportSession(`say ${hostile}`);
  const { page, problems } = await newTab(browser, { offline: true });
  await page.goto(url);
  await page.locator(".item.text").first().waitFor();
  expect(await page.title()).not.toContain("owned");
  expect(await page.locator("img").count()).toBe(0);
  expect(problems).toEqual([]);
});
