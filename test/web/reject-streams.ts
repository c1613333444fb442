import type { Page } from "playwright-core";
import type { CutLine } from "../http/cut-line.ts";

/**
 * Cuts a page's connections and answers its event streams with an error until the returned function is called. Resolves
 * when the page has received the first error.
 */
export async function rejectStreams(page: Page, line: CutLine): Promise<() => Promise<void>> {
  const stream = /\/events\?after=/;
  const json = { code: "store_locked", detail: "The store is locked. Try again." };
  await page.route(stream, (route) => route.fulfill({ status: 503, json }));
  const rejected = page.waitForResponse((response) => stream.test(response.url()));
  line.cut();
  await rejected;
  return () => page.unroute(stream);
}
