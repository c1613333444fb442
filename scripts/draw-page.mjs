import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { createHalyard } from "../dist/index.js";
import { createServer } from "../dist/server/index.js";
import { openSqliteStore } from "../dist/stores/sqlite/store.js";
import { writeSessions } from "./page-sessions.mjs";

/** Draws the pictures of docs/page.md: `npm run build`, then `node scripts/draw-page.mjs`. Needs Chromium. */
const images = fileURLToPath(new URL("../docs/images/", import.meta.url));
const home = await mkdtemp(join(tmpdir(), "halyard-"));
const store = await openSqliteStore(join(home, "halyard.db"));
const halyard = await createHalyard({ home, env: process.env });
const id = await writeSessions(store, new Date());
const token = "pictures";
const listener = await createServer(halyard, { token, web: true }).listen({ port: 0 });
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
try {
  await draw("page.png", { width: 1440, height: 900, theme: "dark", route: `s/${id}` });
  await draw("page-phone.png", { width: 375, height: 760, theme: "light", route: "", scale: 2 });
} finally {
  await browser.close();
  await halyard[Symbol.asyncDispose]();
  await listener.close();
  await store[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
}

async function draw(file, { width, height, theme, route, scale = 1 }) {
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
  await page.goto(`${listener.url}#code=${code}`);
  await page.locator(".line.live").waitFor({ state: "attached" });
  await page.evaluate((hash) => location.assign(hash), `#/${route}`);
  await page.getByText("Updated 14 packages").waitFor({ state: "attached" });
  if (route !== "") await page.locator(".changes .diff").first().waitFor();
  await page.screenshot({ path: join(images, file), animations: "disabled" });
  await page.close();
}
