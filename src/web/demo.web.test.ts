import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newUser, program, StartedCli } from "../../test/cli/start-cli.ts";
import { launchBrowser, newTab } from "../../test/web/browser.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

test("shows three real agents at work, and lets the user allow one agent's command", async () => {
  const user = await newUser({ TMPDIR: await temporaryDirectory() });
  const args = ["demo", "--web", "--no-browser"];
  const cli = new StartedCli(user, [process.execPath, program, ...args]);
  await cli.says(/#code=\S+\n/);
  const { page, problems } = await newTab(browser);
  await page.goto(cli.stdout.trim());
  const row = (name: string) => page.locator(".session-row", { hasText: name });
  await page.locator(".group-needs .session-row", { hasText: "release" }).click();
  await page.locator(".card .output", { hasText: "rm -rf build" }).waitFor();
  await page.keyboard.press("a");
  await page.locator(".item.end .mark-completed").waitFor();
  await page.locator(".changes .file", { hasText: "build.txt" }).waitFor();
  await page.locator(".group-done .session-row", { hasText: "tests" }).click();
  await page.locator(".item.tool .bad", { hasText: "exit 1" }).waitFor();
  await page.locator(".item.text", { hasText: "Both tests pass now" }).waitFor();
  await page.locator(".changes .diff-line.added", { hasText: "NFKD" }).waitFor();
  await row("greeting").locator(".state.idle").waitFor();
  expect(problems).toEqual([]);
  cli.process.kill("SIGINT");
  expect((await cli.finished).exitCode).toBe(0);
});
