import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { terminalAdapter } from "../dist/adapters/terminal/index.js";
import { createConfigReader } from "../dist/config/reader.js";
import { createHalyard } from "../dist/index.js";
import { createServer } from "../dist/server/index.js";
import { openSqliteStore } from "../dist/stores/sqlite/store.js";
import { writeSessions, writeUsage } from "./page-sessions.mjs";

/** Draws the pictures of docs/page.md: `npm run build`, then `node scripts/draw-page.mjs`. Needs Chromium and tmux. */
const images = fileURLToPath(new URL("../docs/images/", import.meta.url));
const root = await mkdtemp(join(tmpdir(), "halyard-"));
const [home, shop] = [join(root, "home"), join(root, "shop")];
await mkdir(shop);
await writeFile(join(shop, "halyard.json"), '{ "runtime": "pi", "permissions": "allow-edits" }\n');
const env = { ...process.env, HOME: root };
const config = createConfigReader({ env, home });
const adapters = [terminalAdapter({ ...(await writeTester()), args: [], env, entry: {} })];
const halyard = await createHalyard({ home, env, config, adapters, trust: [shop] });
const store = await openSqliteStore(join(home, "halyard.db"));
const id = await writeSessions(store, new Date());
const token = "pictures";
const listener = await createServer(halyard, { token, web: true }).listen({ port: 0 });
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
try {
  const wide = { width: 1440, height: 900 };
  await draw("page.png", { ...wide, theme: "dark", route: `s/${id}` }, async (page) => {
    await page.locator(".changes .diff").first().waitFor();
    await page.locator(".session-header", { hasText: "Claude Code" }).waitFor(); // shows this name after the runtimes are loaded
  });
  await draw("page-light.png", { ...wide, theme: "light", route: `s/${id}` }, async (page) => {
    await page.locator(".changes .diff").first().waitFor();
    await page.locator(".session-header", { hasText: "Claude Code" }).waitFor(); // shows this name after the runtimes are loaded
    await page.keyboard.press("f");
    await page.keyboard.type("coupon");
    await page.locator(".find .count", { hasText: "of" }).waitFor();
    await page.waitForTimeout(2000); // waits until the highlight of the position has faded
  });
  const phone = { width: 375, height: 760, scale: 2 };
  await draw("page-phone.png", { ...phone, theme: "light", route: "" });
  const session = await halyard.start({
    runtime: "tester",
    cwd: shop,
    host: "tmux",
    name: "watch-tests",
    permissions: "allow-all",
  });
  await session.ready();
  const flat = { width: 1280, height: 720 };
  await draw(
    "page-screen.png",
    { ...flat, theme: "dark", route: `s/${session.id}` },
    async (page) => {
      await page.getByLabel("Message").waitFor();
      await page.keyboard.press("c");
      await page.keyboard.press("v");
      await page.locator(".screen", { hasText: "Waiting" }).waitFor();
    },
  );
  await session.stop();
  await halyard.remove(session.id);
  await draw("page-settings.png", { ...flat, theme: "light", route: "settings" }, async (page) => {
    await page.getByLabel("Directory").fill("/home/me/shop");
    await page.getByLabel("Directory").press("Enter");
    await page.locator(".explained", { hasText: "allow-edits" }).waitFor();
    await page.getByLabel("Directory").blur();
  });
  await writeUsage(store, new Date());
  const usage = { width: 1280, height: 860, theme: "dark", route: "usage" };
  await draw("page-usage.png", usage, async (page) => {
    await page.locator(".account").nth(1).waitFor();
  });
} finally {
  await browser.close();
  await halyard[Symbol.asyncDispose]();
  await listener.close();
  await store[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
}

/** Writes a program that prints the report of a test runner, for the picture of a screen. */
async function writeTester() {
  const bin = join(root, "tester");
  const report = [
    "\u001b[2m$ npm test -- --watch\u001b[0m",
    "",
    "\u001b[30;46m RUN \u001b[0m \u001b[36mv4.1.12 \u001b[2m/home/me/shop\u001b[0m",
    "",
    " \u001b[32m✓\u001b[0m test/money.test.ts \u001b[2m(41 tests)\u001b[0m \u001b[32m182 ms\u001b[0m",
    " \u001b[32m✓\u001b[0m test/stock.test.ts \u001b[2m(88 tests)\u001b[0m \u001b[32m331 ms\u001b[0m",
    " \u001b[31m❯\u001b[0m test/cart.test.ts \u001b[2m(191 tests | \u001b[22m\u001b[31m1 failed\u001b[0m\u001b[2m)\u001b[0m \u001b[33m1204 ms\u001b[0m",
    "   \u001b[31m×\u001b[0m applies a coupon in percent \u001b[33m12 ms\u001b[0m",
    "",
    "\u001b[41m FAIL \u001b[0m test/cart.test.ts > \u001b[1mapplies a coupon in percent\u001b[0m",
    "\u001b[31mAssertionError: expected 15300 to be 25.5\u001b[0m",
    "",
    "  \u001b[36m❯\u001b[0m test/cart.test.ts\u001b[2m:24:57\u001b[0m",
    "    \u001b[2m23|\u001b[0m",
    '    \u001b[2m24|\u001b[0m test(\u001b[32m"applies a coupon in percent"\u001b[0m, () => {',
    "    \u001b[2m25|\u001b[0m   expect(total([line(\u001b[33m10\u001b[0m, \u001b[33m3\u001b[0m)], coupon)).toEqual(euro(\u001b[33m25.5\u001b[0m));",
    "      \u001b[2m|\u001b[0m                                       \u001b[31m^\u001b[0m",
    "",
    "      \u001b[2mTests\u001b[0m  \u001b[1;31m1 failed\u001b[0m \u001b[2m|\u001b[0m \u001b[1;32m319 passed\u001b[0m \u001b[2m(320)\u001b[0m",
    "   \u001b[2mDuration\u001b[0m  2.31s",
    "",
    "\u001b[1;30;43m FAIL \u001b[0m \u001b[33mWaiting for file changes …\u001b[0m",
  ].join("\r\n");
  const code = `process.stdout.write(${JSON.stringify(`${report}\r\n`)}); setInterval(() => {}, 1e6);`;
  await writeFile(bin, `#!${process.execPath}\n${code}\n`, { mode: 0o700 });
  return { name: "tester", bin };
}

/** Draws a picture of a route. `prepare` waits until the page shows everything that the picture needs. */
async function draw(file, { width, height, theme, route, scale = 1 }, prepare = async () => {}) {
  const response = await fetch(new URL("/v1/sign-in-codes", listener.url), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: "{}",
  });
  const { code } = await response.json();
  const page = await browser.newPage({
    viewport: { width, height },
    deviceScaleFactor: scale,
    colorScheme: theme,
    hasTouch: scale > 1,
  });
  // The pictures show the directory of the sample sessions instead of the temporary one.
  await page.route(/\/v1\/(explain|sessions\/[^/]+\/screen)/, async (call) => {
    const url = call.request().url().replace("%2Fhome%2Fme%2Fshop", encodeURIComponent(shop));
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    const body = (await answer.text()).replaceAll(root, "/home/me");
    await call.fulfill({ status: answer.status, contentType: "application/json", body });
  });
  await page.goto(`${listener.url}#code=${code}`);
  await page.locator(".line.live").waitFor({ state: "attached" });
  await page.evaluate((hash) => location.assign(hash), `#/${route}`);
  await page.getByText("Updated 14 packages").first().waitFor({ state: "attached" });
  await prepare(page);
  await page.screenshot({ path: join(images, file), animations: "disabled" });
  await page.close();
}
