import axe from "axe-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serve } from "../../test/http/served.ts";
import { launchBrowser, newTab, signIn } from "../../test/web/browser.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

test("axe finds nothing on any view", async () => {
  await using served = await serve({ web: "dist/web" });
  const id = await served.start({ permissions: "ask", name: "api" });
  const session = await served.halyard.session(id);
  await session.send("think Hm.; say # Title\n\n- `code`\n- [link](https://example.com)").outcome;
  await session.send("fail the model is overloaded").outcome;
  session.send("sh echo hello");
  const { page } = await newTab(browser);
  await signIn(page, served.url, `s/${id}`);
  await page.locator(".card").waitFor();
  await page.evaluate(axe.source);
  const found: string[] = [];
  const check = async (view: string) => {
    const { violations } = await page.evaluate<{
      violations: { id: string; nodes: { html: string }[] }[];
    }>("axe.run()");
    for (const { id: rule, nodes } of violations)
      found.push(`${view}: ${rule}: ${nodes.map(({ html }) => html).join(" ")}`);
  };
  await check("session");
  await page.keyboard.press("d");
  await check("deny");
  await page.keyboard.press("Escape");
  await page.keyboard.press("i");
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await check("inbox");
  await page.keyboard.press("u");
  await page.getByRole("heading", { name: "Usage" }).waitFor();
  await check("usage");
  await page.keyboard.press("n");
  await page.getByLabel("Task").waitFor();
  await check("new session");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await check("keys");
  expect(found).toEqual([]);
});
