import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openCutLine } from "../../test/http/cut-line.ts";
import { type Served, serve } from "../../test/http/served.ts";
import { expectAccessible } from "../../test/web/axe.ts";
import { launchBrowser, newTab } from "../../test/web/browser.ts";
import { rejectStreams } from "../../test/web/reject-streams.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

async function linkTo({ call, url }: Served, id: string, base = url): Promise<string> {
  const { json } = await call("POST", `/v1/sessions/${id}/shares`, { body: {} });
  return `${base}/#share=${json.secret}`;
}

test("shows a shared session live and read-only, in two browsers, until the link is revoked", async () => {
  await using served = await serve({ web: "dist/web" });
  const id = await served.start({ permissions: "ask", name: "shared one" });
  await served.start({ name: "secret one" });
  const session = await served.halyard.session(id);
  await session.send("say Hello").outcome;
  const link = await linkTo(served, id);
  const tabs = [await newTab(browser), await newTab(browser)];
  for (const { page } of tabs) {
    await page.goto(link);
    await page.locator(".item.text", { hasText: "Hello" }).waitFor();
    expect(page.url()).toBe(`${served.url}/#/shared/${id}`);
  }
  const [{ page, problems } = await newTab(browser)] = tabs;
  await page.locator(".session-header .line.live").waitFor();
  await page.locator(".session-header", { hasText: "read-only" }).waitFor();
  session.send("sh echo never; say after");
  await page.locator(".card").getByText("Waiting for an answer").waitFor();
  await expectAccessible(page);
  await page.keyboard.press("a");
  for (const control of ["Message", "More", "Interrupt", "Search sessions"])
    expect(await page.getByLabel(control, { exact: true }).count()).toBe(0);
  expect(await page.getByText("secret one").count()).toBe(0);
  expect((await served.halyard.find(id))?.openRequests).toHaveLength(1);
  await page.keyboard.press("f");
  await page.keyboard.type("hello");
  await page.locator(".item.target", { hasText: "Hello" }).first().waitFor();
  await page.reload();
  await page.locator(".card").waitFor();

  await served.call("DELETE", `/v1/sessions/${id}/shares`);
  for (const tab of tabs)
    await tab.page.getByRole("heading", { name: "This link is not valid" }).waitFor();
  expect(problems).toEqual([]);
});

test("shows the events in a shared session that were written while the server rejected the stream", async () => {
  await using served = await serve({ web: "dist/web" });
  const id = await served.start();
  const session = await served.halyard.session(id);
  await session.send("say before").outcome;
  const line = await openCutLine(served.url);
  const { page, problems } = await newTab(browser);
  await page.goto(await linkTo(served, id, `http://127.0.0.1:${line.port}`));
  await page.locator(".session-header .line.live").waitFor();
  await page.locator(".item.text", { hasText: "before" }).waitFor();
  const acceptStreams = await rejectStreams(page, line);
  await session.send("say between").outcome;
  await served.settle(id); // no later event shows the missing ones
  await acceptStreams();
  await page.locator(".item.text", { hasText: "between" }).waitFor();
  expect(problems).toEqual([]);
});

test("rejects a wrong link, and shows none of the server's data", async () => {
  await using served = await serve({ web: "dist/web" });
  await served.start({ name: "secret one" });
  const { page } = await newTab(browser);
  await page.goto(`${served.url}/#share=wrong`);
  await page.getByRole("heading", { name: "This link is not valid" }).waitFor();
  expect(page.url()).not.toContain("wrong");
  expect(await page.getByText("secret one").count()).toBe(0);
});
