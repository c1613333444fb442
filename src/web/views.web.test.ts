import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serve } from "../../test/http/served.ts";
import { writeParrot } from "../../test/screens/parrot.ts";
import { expectAccessible } from "../../test/web/axe.ts";
import { launchBrowser, newTab, signIn } from "../../test/web/browser.ts";
import { terminalAdapter } from "../adapters/terminal/index.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const web = "dist/web";

/** Returns the clipboard's content. The page needs the permission `clipboard-read`. */
async function readClipboard(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}

test("shows a tmux session's screen with its colors, and updates it", async () => {
  const directory = await temporaryDirectory();
  const bin = await writeParrot(directory);
  const entry = { ready: "prompt", ready_prompt_prefix: ">" } as const;
  const env = { PATH: process.env.PATH, HOME: directory };
  const parrot = terminalAdapter({ name: "parrot", bin, args: [], env, entry });
  await using served = await serve({ web }, { adapters: [fakeAdapter(), parrot], env });
  const says = "\u001b[1;32mgreen\u001b[0m \u001b[38;2;200;210;220m<img src=x onerror=alert(1)>";
  const id = await served.start({ runtime: "parrot", host: "tmux", env: { SAYS: says } });
  const { page, problems } = await newTab(browser);
  await signIn(page, served.url, `s/${id}`);
  await page.getByLabel("Message").waitFor();
  await page.keyboard.press("v");
  await page.locator(".screen", { hasText: "Parrot 1.0" }).waitFor();
  const session = await served.halyard.session(id);
  await session.send("hello").outcome;
  const green = page.locator(".screen .bold", { hasText: "green" });
  await green.waitFor();
  expect(await green.evaluate((part) => getComputedStyle(part).color)).toBe("rgb(143, 207, 138)");
  expect(await page.locator(".screen img").count()).toBe(0);
  expect(await page.locator(".screen-note code").textContent()).toContain("tmux");
  await expectAccessible(page);
  await page.keyboard.press("v");
  await page.locator(".item.text", { hasText: "HELLO" }).waitFor();
  expect(problems).toEqual([]);
});

test("shows a new session's settings with their sources, and revokes a link", async () => {
  await using served = await serve({ web, version: "1.2.3" });
  const id = await served.start({ name: "api" });
  await served.call("POST", `/v1/sessions/${id}/shares`, { body: {} });
  const { page, problems } = await newTab(browser);
  await signIn(page, served.url);
  await page.keyboard.press(",");
  const row = (name: string) =>
    page.locator(".explained tr", { has: page.getByRole("rowheader", { name, exact: true }) });
  await row("permissions").waitFor();
  await page.getByLabel("Runtime").selectOption("fake");
  await row("runtime").filter({ hasText: "request" }).waitFor();
  expect(await row("runtime").locator("td").allTextContents()).toEqual(["fake", "request"]);
  expect(await row("permissions").locator("td").first().textContent()).toBe("ask");
  await page.getByText("Halyard 1.2.3").waitFor();
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("No session is shared by a link.").waitFor();
  expect((await served.call("GET", "/v1/shares")).json).toEqual({ shares: [] });
  await page.getByLabel("Directory").fill("/nowhere/at/all");
  await page.getByLabel("Directory").press("Enter");
  await page.locator(".settings .problem", { hasText: "/nowhere/at/all" }).waitFor();
  expect(problems).toEqual([]);
});

test("finds words in the open session, and moves between the hits", async () => {
  await using served = await serve({ web });
  const [id, other] = [await served.start(), await served.start()];
  const session = await served.halyard.session(id);
  for (let turn = 0; turn < 12; turn++) await session.send(`say filler ${turn}`).outcome;
  await session.send("say the first albatross").outcome;
  for (let turn = 0; turn < 12; turn++) await session.send(`say filler ${turn}`).outcome;
  await session.send("sh echo second albatross").outcome;
  await (await served.halyard.session(other)).send("say another albatross").outcome;
  const { page, problems } = await newTab(browser);
  await signIn(page, served.url, `s/${id}`);
  await page.getByLabel("Message").waitFor();
  await page.keyboard.press("f");
  await page.keyboard.type("albatross");
  const count = page.locator(".find .count");
  await count.filter({ hasText: /\d of \d/ }).waitFor();
  const [, total] = (await count.textContent())?.split(" of ") ?? [];
  await page.locator(".item.target details[open]", { hasText: "second" }).waitFor();
  await page.waitForFunction(() => (CSS.highlights.get("found")?.size ?? 0) > 0);
  for (let step = 1; step < Number(total); step++) await page.keyboard.press("Enter");
  await count.filter({ hasText: `1 of ${total}` }).waitFor();
  await page.locator(".item.target", { hasText: "first albatross" }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".find").waitFor({ state: "detached" });
  expect(problems).toEqual([]);
});

test("groups the board by runtime, project and host, and remembers the choice", async () => {
  await using served = await serve({ web });
  await served.start({ name: "one" });
  const { page } = await newTab(browser);
  await signIn(page, served.url);
  const titles = page.locator(".group h2");
  await titles.first().waitFor();
  for (const [grouping, title] of [
    ["runtime", "fake"],
    ["project", "work"],
    ["host", "local"],
  ] as const) {
    await page.getByLabel("Group by").selectOption(grouping);
    expect(await titles.allTextContents()).toEqual([`${title} 1`]);
  }
  await page.reload();
  await titles.filter({ hasText: "local" }).waitFor();
});

test("copies a message as Markdown, the address of a position, and the session as Markdown", async () => {
  await using served = await serve({ web });
  const id = await served.start({ name: "api" });
  const session = await served.halyard.session(id);
  await session.send("say Hello **world**").outcome;
  const { page } = await newTab(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  await signIn(page, served.url, `s/${id}`);
  await page.locator(".item.text").hover();
  await page.locator(".item-actions").getByLabel("Copy as Markdown").click();
  await page.getByText("The message was copied as Markdown.").waitFor();
  expect(await readClipboard(page)).toBe("Hello **world**");
  await page.locator(".item-actions").getByLabel("Copy the address").click();
  await page.getByText("The address was copied.").waitFor();
  const address = await readClipboard(page);
  expect(address).toMatch(new RegExp(`#/s/${id}/\\d+$`));
  await page.keyboard.press("m");
  await page.locator(".menu-list").getByRole("button", { name: "Copy as Markdown" }).click();
  await page.getByText("The session was copied as Markdown.").waitFor();
  expect(await readClipboard(page)).toMatch(/^# api\n[\s\S]*Hello \*\*world\*\*/);
  await page.goto("about:blank");
  await page.goto(address);
  await page.locator(".item.text.target", { hasText: "Hello" }).waitFor();
});

test("starts a session in its own worktree from the dialog", async () => {
  await using served = await serve({ web });
  const { execFileSync } = await import("node:child_process");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: served.cwd });
  git("init", "-q");
  await writeFile(join(served.cwd, "a.txt"), "a\n");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a");
  const { page } = await newTab(browser);
  await signIn(page, served.url);
  await page.keyboard.press("n");
  await page.getByLabel("Task").fill("say done");
  await page.getByLabel("Directory").fill(served.cwd);
  await page.getByLabel("Runtime").selectOption("fake");
  await page.getByLabel("Own git worktree").check();
  await page.getByLabel("Branch").fill("from-the-page");
  await page.getByRole("button", { name: "Start" }).click();
  await page.locator(".item.text", { hasText: "done" }).waitFor();
  const [info] = await served.halyard.sessions();
  expect(info?.worktree).toMatchObject({ branch: "from-the-page", origin: served.cwd });
});

test("opens from the cache while the server is unreachable, and continues when it responds again", async () => {
  await using served = await serve({ web });
  const id = await served.start();
  const { page, problems } = await newTab(browser);
  await signIn(page, served.url, `s/${id}`);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  await page.reload(); // the service worker has now cached the page's files
  await page.locator(".brand .line.live").waitFor();
  await page.context().setOffline(true);
  const session = await served.halyard.session(id);
  await session.send("say while offline").outcome;
  await page.reload();
  await page.locator(".brand .line:is(.offline, .connecting)").waitFor();
  const state = page.locator(".session-header .line");
  expect(await state.isVisible()).toBe(false); // because the board shows the connection state
  await page.setViewportSize({ width: 375, height: 760 });
  await state.waitFor();
  await page.context().setOffline(false);
  await state.waitFor({ state: "hidden" });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.locator(".brand .line.live").waitFor();
  await page.locator(".item.text", { hasText: "while offline" }).waitFor();
  const kept = await page.evaluate(async () => {
    const cache = await caches.open("halyard-shell");
    return (await cache.keys()).map(({ url }) => new URL(url).pathname);
  });
  expect(kept.filter((path) => path.startsWith("/v1"))).toEqual([]);
  expect(problems).toEqual([]);
});
