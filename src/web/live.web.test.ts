import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { halyard } from "../../test/cli/start-cli.ts";
import { newDaemonUser, startFakeDaemon, startSession } from "../../test/daemon/scene.ts";
import { openCutLine } from "../../test/http/cut-line.ts";
import { serve } from "../../test/http/served.ts";
import { launchBrowser, newTab, signIn } from "../../test/web/browser.ts";
import { rejectStreams } from "../../test/web/reject-streams.ts";
import { openSqliteStore } from "../stores/sqlite/store.ts";
import { SampleLog } from "../testing/sample-log.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const web = "dist/web";

async function texts(page: Page): Promise<string[]> {
  return page.locator(".item.text").allTextContents();
}

test("continues after kill -9 of the daemon during a stream, without a lost or duplicated line", async () => {
  const user = await newDaemonUser();
  const daemon = await startFakeDaemon(user);
  const { stdout } = await halyard(user, ["open", "--no-browser"]);
  const id = await startSession(user, "stream 3000; wait; say the end");
  const { page, problems } = await newTab(browser);
  await page.goto(stdout.trim());
  await page.locator(".session-row").click();
  await page.locator(".item.text", { hasText: "0 1 2 3" }).waitFor();
  expect(page.url()).not.toContain("code=");
  await daemon.end("SIGKILL");
  await page.locator(".brand .line:is(.offline, .connecting)").waitFor();
  await startFakeDaemon(user);
  await page.locator(".brand .line.live").waitFor();
  await halyard(user, ["send", "--steer", id, "say steered"]);
  await page.locator(".item.end").waitFor();
  const numbers = [...Array(3000).keys()].join(" ");
  expect(await texts(page)).toEqual([numbers, "the end", "steered"]);
  expect(problems).toEqual([]);
});

test("shows the events in an open session that were written while the server rejected the stream", async () => {
  await using served = await serve({ web });
  const id = await served.start();
  const session = await served.halyard.session(id);
  await session.send("say before").outcome;
  const line = await openCutLine(served.url);
  const { page, problems } = await newTab(browser);
  await signIn(page, `http://127.0.0.1:${line.port}`, `s/${id}`);
  await page.locator(".item.text", { hasText: "before" }).waitFor();
  const acceptStreams = await rejectStreams(page, line);
  await session.send("say between").outcome;
  await served.settle(id); // no later event shows the missing ones
  await acceptStreams();
  await page.locator(".item.text", { hasText: "between" }).waitFor();
  expect(await texts(page)).toEqual(["before", "between"]);
  expect(problems).toEqual([]);
});

test("shows the same content in two tabs, and an answer from one tab in the other", async () => {
  await using served = await serve({ web });
  const id = await served.start({ permissions: "ask" });
  const tabs = await Promise.all([newTab(browser), newTab(browser)]);
  for (const { page } of tabs) await signIn(page, served.url, `s/${id}`);
  const [one, two] = tabs.map(({ page }) => page);
  if (!one || !two) throw new Error("no tabs");
  await one.getByLabel("Message").fill("ask; say done");
  await one.getByLabel("Message").press("Enter");
  await two.locator(".card").waitFor();
  await two.keyboard.press("a");
  await one.locator(".item.end").waitFor();
  await two.locator(".item.end").waitFor();
  expect(await texts(one)).toEqual(["allowed", "done"]);
  expect(await texts(two)).toEqual(["allowed", "done"]);
});

test("shows 200 sessions, and a new session that another client starts", async () => {
  await using served = await serve({ web });
  await using store = await openSqliteStore(join(served.home, "halyard.db"));
  for (let count = 0; count < 200; count++)
    await SampleLog.create(store, { name: `session ${count}`, state: "stopped" });
  const { page } = await newTab(browser);
  await signIn(page, served.url);
  await page.waitForFunction(() => document.querySelectorAll(".session-row").length === 200);
  const id = await served.start({ name: "newcomer" });
  await page.locator(".session-row", { hasText: "newcomer" }).waitFor();
  const session = await served.halyard.session(id);
  session.send("say working on it; wait");
  await page.locator(".group-working .session-row", { hasText: "working on it" }).waitFor();
});

test("requests a few hundred of 10,000 stored sessions from the server, and more on demand", async () => {
  await using served = await serve({ web });
  const store = await openSqliteStore(join(served.home, "halyard.db"));
  for (let count = 0; count < 10_000; count++)
    await SampleLog.create(store, {
      name: `session ${count}`,
      state: count % 10 === 0 ? "detached" : "stopped",
      createdAt: new Date(Date.UTC(2026, 0, 1) + count * 1000).toISOString(),
    });
  await store[Symbol.asyncDispose]();
  const { page, problems } = await newTab(browser);
  const listed: Promise<number>[] = [];
  page.on("response", (response) => {
    if (/\/v1\/sessions\?/.test(response.url()))
      listed.push(response.json().then(({ sessions }) => sessions.length));
  });
  await signIn(page, served.url);
  await page.locator(".session-row", { hasText: "session 9999" }).waitFor();
  const rows = () => page.locator(".session-row").count();
  const before = await rows();
  expect(before).toBeLessThanOrEqual(700);
  await page.getByRole("button", { name: "Show older sessions" }).click();
  await page.waitForFunction(
    (count) => document.querySelectorAll(".session-row").length > count,
    before,
  );
  expect(Math.max(...(await Promise.all(listed)))).toBeLessThanOrEqual(500);
  await page.keyboard.press("/");
  await page.keyboard.type("session 9998");
  await page.waitForFunction(() => document.querySelectorAll(".session-row").length === 1);
  expect(problems).toEqual([]);
});

test.each([
  [3840, 3],
  [1920, 3],
  [1280, 3],
  [1100, 2],
  [768, 1],
  [375, 1],
] as const)(
  "fits a width of %i px with %i columns and no horizontal scroll on any view",
  async (width, columns) => {
    await using served = await serve({ web });
    const name = `a long name ${"x".repeat(200)}`;
    const id = await served.start({ permissions: "ask", name });
    const { page } = await newTab(browser, { viewport: { width, height: 800 } });
    await signIn(page, served.url, `s/${id}`);
    const session = await served.halyard.session(id);
    await session.send("say earlier").outcome; // gives the usage view data to show
    session.send(
      `say ${"word ".repeat(80)}\n\n\`\`\`\n${"x".repeat(400)}\n\`\`\`; sh echo ${"y".repeat(300)}`,
    );
    await page.locator(".card").waitFor();
    const layout = await page.evaluate(() => ({
      columns: [".sidebar", ".talk", ".changes"].filter((name) => {
        const box = document.querySelector(name)?.getBoundingClientRect();
        return box !== undefined && box.width > 0;
      }).length,
      overflow: document.documentElement.scrollWidth - window.innerWidth,
      talk:
        (document.querySelector(".items")?.scrollWidth ?? 0) -
        (document.querySelector(".items")?.clientWidth ?? 0),
    }));
    expect(layout).toEqual({ columns, overflow: 0, talk: 0 });
    for (const view of ["", "inbox", "usage", "settings"]) {
      await page.evaluate((hash) => location.assign(hash), `#/${view}`);
      await page.locator(`.page.shows-${view || "board"}`).waitFor();
      if (view === "inbox") await page.locator(".inbox-group .card").waitFor();
      if (view === "usage") await page.locator(".bars li").first().waitFor();
      if (view === "settings") await page.locator(".explained tbody").waitFor();
      const overflows = await page.evaluate(() =>
        [...document.querySelectorAll(".page, .view-body, .sidebar, .list")]
          .filter((box) => box.scrollWidth > box.clientWidth)
          .map((box) => box.className),
      );
      expect(overflows).toEqual([]);
    }
  },
);
