import type { Browser } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { serve } from "../../test/http/served.ts";
import { expectAccessible } from "../../test/web/axe.ts";
import { launchBrowser, newTab, signIn } from "../../test/web/browser.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

test.each(["dark", "light"] as const)(
  "axe reports no violation on any view in %s colors",
  async (colorScheme) => {
    await using served = await serve({ web: "dist/web" });
    const id = await served.start({ permissions: "ask", name: "api" });
    const session = await served.halyard.session(id);
    await session.send("think Hm.; say # Title\n\n- `code`\n- [link](https://example.com)").outcome;
    await session.send("fail the model is overloaded").outcome;
    session.send("sh echo hello");
    await served.call("POST", `/v1/sessions/${id}/shares`, { body: {} });
    const { page } = await newTab(browser, { colorScheme });
    await signIn(page, served.url);
    await page.getByRole("heading", { name: "One session needs you" }).waitFor();
    await expectAccessible(page);
    await page.evaluate(`location.assign("#/s/${id}")`);
    await page.locator(".card").waitFor();
    await expectAccessible(page);
    await page.keyboard.press("d");
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.keyboard.press("f");
    await page.getByLabel("Find in this session").fill("title");
    await page.locator(".item.target").waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.keyboard.press("m");
    await page.locator(".menu-list").waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    for (const [key, title] of [
      ["i", "Inbox"],
      ["u", "Usage"],
      [",", "Settings"],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole("heading", { name: title, exact: true }).waitFor();
      if (key === ",") await page.locator(".explained").waitFor();
      await expectAccessible(page);
    }
    await page.keyboard.press("n");
    await page.getByLabel("Task").waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.context().clearCookies();
    await page.reload();
    await page.getByRole("heading", { name: "Sign in to Halyard" }).waitFor();
    await expectAccessible(page);
  },
);
