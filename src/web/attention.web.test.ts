import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serve } from "../../test/http/served.ts";
import { expectAccessible } from "../../test/web/axe.ts";
import { launchBrowser, newTab, signIn } from "../../test/web/browser.ts";
import { openSqliteStore } from "../stores/sqlite/store.ts";
import { SampleLog } from "../testing/sample-log.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const web = "dist/web";

test("extends a used-up budget from the page, and ends the turn when the next extension is denied", async () => {
  await using served = await serve({ web });
  const id = await served.start({ budget: { tokens: 1000 } });
  const { page, problems } = await newTab(browser);
  await signIn(page, served.url, `s/${id}`);
  const session = await served.halyard.session(id);
  const first = session.send("say hello; spend 600; spend 600; wait");
  const card = page.locator(".card", { hasText: "The budget of the session is used up" });
  await card.waitFor();
  expect(await card.locator("button").allTextContents()).toEqual([
    "Extend by 1,000 tokens a",
    "Continue without this limit A",
    "End the turn d",
  ]);
  await page.keyboard.press("a");
  expect(await first.outcome).toMatchObject({ status: "completed", text: "continued" });
  await page.locator(".answered", { hasText: "Extend by 1,000 tokens" }).waitFor();
  expect((await served.halyard.find(id))?.budgetExtensions).toHaveLength(1);
  const second = session.send("spend 3000; wait");
  await card.waitFor();
  await page.keyboard.press("d");
  expect(await second.outcome).toMatchObject({ status: "failed" });
  expect(problems).toEqual([]);
});

test("shows how long a session will wait for a usage limit, and shows the limits in the usage view", async () => {
  await using served = await serve({ web });
  const id = await served.start({ onLimit: "wait" });
  const { page, problems } = await newTab(browser);
  await signIn(page, served.url, `s/${id}`);
  const session = await served.halyard.session(id);
  session.send("limited 7200");
  await page.locator(".countdown").waitFor();
  expect(await page.locator(".countdown").textContent()).toMatch(
    /^Continues at (\w+ )?\d\d:\d\d, in (2 h 0|1 h 59) min$/,
  );
  const row = page.locator(".group-working .session-row");
  await row.locator(".now", { hasText: "Waiting for its usage limit until" }).waitFor();
  expect(await row.locator(".state").getAttribute("aria-label")).toBe("Waiting for a usage limit");
  await expectAccessible(page);

  // Usage windows that a runtime reports. One of them is almost used up.
  await using store = await openSqliteStore(join(served.home, "halyard.db"));
  const resetsAt = new Date(Date.now() + 90 * 60_000).toISOString();
  const windows = [
    { window: "five_hour", usedPercent: 83.4, resetsAt },
    { window: "7d", usedPercent: 41 },
  ];
  const reportedAt = new Date().toISOString();
  await SampleLog.create(store, {
    runtime: "codex",
    limit: { status: "warning", windows, reportedAt },
  });
  await page.keyboard.press("u");
  const account = page.locator(".account", { hasText: "codex" });
  await account.waitFor();
  const limits = page.locator("section", { has: account }).locator(".bars li");
  expect(await limits.filter({ hasText: "5 hours" }).textContent()).toMatch(
    /^5 hours83 % resets (\w+ )?\d\d:\d\d, in 1 h (30|29) min$/,
  );
  expect(await limits.filter({ hasText: "7 days" }).textContent()).toBe("7 days41 %");
  await page.getByRole("button", { name: "Cost" }).click();
  await page.getByRole("heading", { name: "Cost per day, last 30 days" }).waitFor();
  await expectAccessible(page);
  expect(problems).toEqual([]);
});

test("shows the machine of a session in a cluster, and whether the machine responds", async () => {
  await using served = await serve({ web });
  await using store = await openSqliteStore(join(served.home, "halyard.db"));
  await SampleLog.create(store, { name: "near", machine: "build-01", about: "Fix the build" });
  const away = { name: "away", machine: "gpu-07", unreachable: true } as const;
  const { info } = await SampleLog.create(store, away);
  const { page } = await newTab(browser);
  await signIn(page, served.url);
  await page.locator(".session-row", { hasText: "near" }).waitFor();
  const now = (name: string) => page.locator(".session-row", { hasText: name }).locator(".now");
  expect(await now("near").textContent()).toBe("build-01Fix the build");
  expect(await now("away").textContent()).toBe("gpu-07 does not respond");
  await page.getByLabel("Group by").selectOption("machine");
  expect(await page.locator(".group h2").allTextContents()).toEqual(["build-01 1", "gpu-07 1"]);
  await page.evaluate(`location.assign("#/s/${info.id}")`);
  await page.getByText("gpu-07 does not respond. The agent may still be running there.").waitFor();
});

test("notifies about a request while the page is hidden, and announces it to screen readers", async () => {
  await using served = await serve({ web });
  const id = await served.start({ permissions: "ask", name: "api" });
  const { page } = await newTab(browser, { permissions: ["notifications"] });
  // Headless Chromium supports neither notifications nor hidden pages, so the test simulates both.
  await page.addInitScript(() => {
    const shown: string[] = [];
    Object.assign(window, { shown });
    Object.assign(window, {
      Notification: class {
        static readonly permission = "granted";
        onclick: (() => void) | undefined;
        constructor(title: string, { body }: { body: string }) {
          shown.push(`${title}: ${body}`);
          Object.assign(window, { last: this });
        }
      },
    });
    Object.defineProperty(document, "hidden", { get: () => true });
  });
  await signIn(page, served.url);
  await page.locator(".session-row", { hasText: "api" }).waitFor();
  const session = await served.halyard.session(id);
  session.send("sh echo hello");
  const shown = () => page.evaluate(() => Reflect.get(window, "shown"));
  await expect.poll(shown).toEqual(["api: Wants to run echo hello"]);
  const news = page.locator(".only-read-aloud[aria-live=polite]");
  await news.filter({ hasText: "api: Wants to run echo hello" }).waitFor({ state: "attached" });
  await page.evaluate(() => Reflect.get(window, "last").onclick());
  await page.locator(".card").waitFor();
  expect(page.url()).toContain(`#/s/${id}`);
});
