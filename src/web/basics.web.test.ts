import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, serve } from "../../test/http/served.ts";
import { launchBrowser, newTab, signIn } from "../../test/web/browser.ts";

/** Checks similar to Lighthouse's, but without a network and without scores. */

let browser: Browser;
let served: Served;
beforeAll(async () => {
  browser = await launchBrowser();
  served = await serve({ web: "dist/web" });
});
afterAll(async () => {
  await browser.close();
  await served[Symbol.asyncDispose]();
});

test("the page has a language, a title, a description, a zoomable viewport and an installable manifest", async () => {
  const { page } = await newTab(browser);
  await page.goto(served.url);
  const found = await page.evaluate(async () => {
    const content = (name: string) =>
      document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? "";
    const manifest = document.querySelector<HTMLLinkElement>('link[rel="manifest"]')?.href ?? "";
    return {
      lang: document.documentElement.lang,
      title: document.title,
      doctype: document.doctype?.name,
      description: content("description"),
      viewport: content("viewport"),
      manifest: await (await fetch(manifest)).json(),
    };
  });
  expect(found).toMatchObject({
    lang: "en",
    title: "Halyard",
    doctype: "html",
    description: expect.stringContaining("coding agent"),
    manifest: { name: "Halyard", start_url: ".", display: "standalone" },
  });
  expect(found.viewport).toContain("width=device-width");
  expect(found.viewport).not.toMatch(/user-scalable|maximum-scale/);
  expect(found.manifest.icons.length).toBeGreaterThan(0);
});

test("loads compressed, immutable assets, and no request fails", async () => {
  const { page, problems } = await newTab(browser);
  const loaded: { path: string; status: number; headers: Record<string, string> }[] = [];
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    loaded.push({ path: pathname, status: response.status(), headers: response.headers() });
  });
  await signIn(page, served.url);
  await page.locator(".welcome").waitFor();
  expect(loaded.filter(({ status }) => status >= 400)).toEqual([]);
  const assets = loaded.filter(({ path }) => path.startsWith("/assets/"));
  expect(assets.length).toBeGreaterThan(1);
  for (const { headers } of assets) {
    expect(headers["cache-control"]).toContain("immutable");
    expect(headers["content-encoding"]).toMatch(/br|gzip/);
  }
  const document = loaded.find(({ path }) => path === "/");
  expect(document?.headers).toMatchObject({
    "content-security-policy": expect.stringContaining("default-src 'self'"),
    "x-content-type-options": "nosniff",
  });
  expect(problems).toEqual([]);
});

test("does not shift its layout while a session loads and streams", async () => {
  const id = await served.start({ permissions: "ask" });
  const session = await served.halyard.session(id);
  for (let turn = 0; turn < 6; turn++) await session.send(`say ${"words ".repeat(80)}`).outcome;
  const { page } = await newTab(browser);
  await page.addInitScript(() => {
    Object.assign(window, { shift: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        Object.assign(window, {
          shift: Reflect.get(window, "shift") + Reflect.get(entry, "value"),
        });
    }).observe({ type: "layout-shift", buffered: true });
  });
  await signIn(page, served.url, `s/${id}`);
  await page.locator(".item.end").nth(5).waitFor();
  session.send(`say ${"more ".repeat(300)}; sh echo hello`);
  await page.locator(".card").waitFor();
  expect(await page.evaluate(() => Reflect.get(window, "shift"))).toBeLessThan(0.1);
});

test("the page has touch targets of at least 24 px and input text of at least 16 px on a phone", async () => {
  const id = await served.start({ permissions: "ask" });
  (await served.halyard.session(id)).send("sh echo hello");
  const viewport = { width: 375, height: 760 };
  const { page } = await newTab(browser, { viewport, hasTouch: true, isMobile: true });
  await signIn(page, served.url, `s/${id}`);
  await page.locator(".card").waitFor();
  const tooSmall = async () =>
    page.evaluate(() => {
      const isShown = (element: Element) =>
        element.checkVisibility() && !element.matches(".key-only, .scrim");
      const targets = [...document.querySelectorAll("button, a, select, summary, textarea")];
      const fields = [...document.querySelectorAll("input:not([type=checkbox]), textarea")];
      return [
        ...targets.filter((target) => {
          const { width, height } = target.getBoundingClientRect();
          return isShown(target) && (width < 24 || height < 24);
        }),
        ...fields.filter(
          (field) => isShown(field) && Number.parseFloat(getComputedStyle(field).fontSize) < 16,
        ),
      ].map((element) => element.outerHTML.slice(0, 120));
    });
  expect(await tooSmall()).toEqual([]);
  for (const view of ["", "inbox", "usage", "settings"]) {
    await page.evaluate((hash) => location.assign(hash), `#/${view}`);
    await page.locator(`.page.shows-${view || "board"}`).waitFor();
    expect(await tooSmall()).toEqual([]);
  }
});
