import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { SignInCode } from "../../src/schema/http/sign-in.ts";
import { TOKEN } from "../http/served.ts";

/** Debian's Chromium, which `.ci/machine` installs. */
const CHROMIUM = "/usr/bin/chromium";

/** The directory for a screenshot of each tab at the end of each test, to inspect failures. Git ignores it. */
const SCREENSHOTS = fileURLToPath(new URL("./screenshots/", import.meta.url));

/** Starts Chromium without a window and without background requests. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** A page, and the problems that it has reported. */
export interface OpenedPage {
  readonly page: Page;
  /** Errors of scripts, and violations of the content security policy. */
  readonly problems: string[];
}

/** Opens a tab with its own cookies. When the test finishes, a screenshot of the tab is saved and the tab is closed. */
export async function newTab(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  onTestFinished(async ({ task }) => {
    const title = task.name.replaceAll(/\W+/g, "-").slice(0, 100);
    const path = `${SCREENSHOTS}${title}-${context.browser()?.contexts().indexOf(context)}.png`;
    await page.screenshot({ path, timeout: 5_000 }).catch(() => {}); // fails if the test has closed the page
    await context.close();
  });
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("console", (message) => {
    if (/content security policy/i.test(message.text())) problems.push(message.text());
  });
  return { page, problems };
}

/** Signs a tab in at a server with a one-time code and opens a route, such as `s/ses_…`. */
export async function signIn(page: Page, url: string, route = ""): Promise<void> {
  const response = await fetch(new URL("/v1/sign-in-codes", url), {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    body: "{}",
  });
  const { code } = SignInCode.parse(await response.json());
  await page.goto(`${url}#code=${code}`);
  await page.locator(".line.live").waitFor({ state: "attached" });
  if (route !== "") await page.evaluate(`location.assign("#/${route}")`);
}
