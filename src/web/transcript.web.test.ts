import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, serve } from "../../test/http/served.ts";
import { launchBrowser, newTab, signIn } from "../../test/web/browser.ts";
import { openSqliteStore } from "../stores/sqlite/store.ts";
import { SampleLog } from "../testing/sample-log.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const web = "dist/web";

/** Writes a log of 100,000 events: messages of ten deltas, and one tool call each. */
async function writeLongLog({ home }: Served): Promise<string> {
  const store = await openSqliteStore(join(home, "halyard.db"));
  const log = await SampleLog.create(store, { name: "long", state: "stopped" });
  for (let block = 0; block < 100; block++) {
    const events = [...Array(71).keys()].flatMap((index) => {
      const messageId = `m${block}.${index}`;
      const text = `Message ${block * 71 + index} `;
      const delta = { type: "delta", channel: "text", messageId, text } as const;
      const message = { type: "message", role: "assistant", channel: "text" } as const;
      const call = {
        type: "tool_call",
        callId: `c${messageId}`,
        name: "sh",
        kind: "execute",
      } as const;
      const input = { command: `echo ${block * 71 + index}` };
      const result = { type: "tool_result", callId: `c${messageId}`, isError: false } as const;
      return [
        ...Array<typeof delta>(11).fill(delta),
        { ...message, messageId, text: text.repeat(11) },
        { ...call, input },
        { ...result, output: `${index}\n`.repeat(30) },
      ];
    });
    await log.append(events.slice(0, 994));
  }
  await log.append(
    [...Array(600).keys()].map(
      (index) =>
        ({
          type: "message",
          role: "assistant",
          channel: "text",
          messageId: `e${index}`,
          text: `End ${index}`,
        }) as const,
    ),
  );
  await store[Symbol.asyncDispose]();
  return log.info.id;
}

async function firstVisible(page: Page): Promise<string> {
  return page.evaluate(() => {
    const box = document.querySelector(".transcript");
    const top = box?.getBoundingClientRect().top ?? 0;
    const items = [...document.querySelectorAll(".item")];
    return items.find((item) => item.getBoundingClientRect().bottom > top)?.textContent ?? "";
  });
}

test("opens a session of 100,000 events at its end, and scrolls and jumps in it", async () => {
  await using served = await serve({ web });
  const id = await writeLongLog(served);
  expect((await served.halyard.find(id))?.lastSeq).toBe(100_000);
  const { page, problems } = await newTab(browser);
  await signIn(page, served.url);
  await page.locator(".session-row").waitFor();
  await page.evaluate(() => performance.mark("open"));
  await page.evaluate((hash) => location.assign(hash), `#/s/${id}`);
  await page.locator(".item", { hasText: "End 599" }).waitFor();
  const shownMs = await page.evaluate(() => {
    const [open] = performance.getEntriesByName("open");
    const reads = performance
      .getEntriesByType("resource")
      .filter(({ name }) => name.includes("events?"));
    return (
      performance.now() -
      Math.max(
        open?.startTime ?? 0,
        ...reads.map((read) => (read as PerformanceResourceTiming).responseEnd),
      )
    );
  });
  expect(shownMs).toBeLessThan(1000); // includes the time until the test noticed it
  const isAtEnd = () => {
    const box = document.querySelector(".transcript");
    return box !== null && box.scrollHeight - box.scrollTop - box.clientHeight < 2;
  };
  expect(await page.evaluate(isAtEnd)).toBe(true);

  // Older events are added above without a move of those in view.
  for (let round = 0; round < 3; round++) {
    const count = await page.locator(".item").count();
    await page.evaluate(() => {
      const box = document.querySelector(".transcript");
      if (box) box.scrollTop = 600;
    });
    const before = await firstVisible(page);
    await page.waitForFunction((old) => document.querySelectorAll(".item").length !== old, count);
    expect(await firstVisible(page)).toBe(before);
  }
  expect(await page.locator(".item").count()).toBeLessThan(1400);

  // The rail jumps to any place.
  const rail = await page.locator(".rail").boundingBox();
  if (!rail) throw new Error("no rail");
  await page.mouse.click(rail.x + rail.width / 2, rail.y + rail.height * 0.25);
  await page
    .locator(".item", { hasText: /Message 17[5-9]\d / })
    .first()
    .waitFor();
  await page.keyboard.press("g");
  await page.locator(".item.text", { hasText: /^Message 0 / }).waitFor();
  await page.keyboard.press("G");
  await page.locator(".item", { hasText: "End 599" }).waitFor();
  await page.waitForFunction(isAtEnd);
  const memory = await page.evaluate(() => Reflect.get(performance, "memory")?.usedJSHeapSize ?? 0);
  expect(memory).toBeLessThan(150_000_000);
  expect(problems).toEqual([]);
});

test("renders 1,000 deltas per second without a frame over 100 ms", async () => {
  await using served = await serve({ web });
  const id = await served.start();
  const { page } = await newTab(browser);
  await signIn(page, served.url, `s/${id}`);
  await page.getByLabel("Message").waitFor();
  await browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline"] });
  const session = await served.halyard.session(id);
  await session.send("tick 3000 0").outcome;
  await page.locator(".item.end").waitFor();
  const tasks = taskTimes(await browser.stopTracing());
  expect(tasks.length).toBeGreaterThan(20);
  expect(Math.max(...tasks)).toBeLessThan(100);
  const shown = (await page.locator(".item.text").textContent()) ?? "";
  expect(shown.trim().split(/\s+/)).toHaveLength(3000);
});

/** Returns the processor time of each task of the page in milliseconds. It does not depend on the load of the machine. */
function taskTimes(trace: Buffer): number[] {
  const events: { name: string; tdur?: number }[] = JSON.parse(trace.toString()).traceEvents;
  return events.flatMap(({ name, tdur }) =>
    name === "RunTask" && tdur !== undefined ? [tdur / 1000] : [],
  );
}

const hostile = [
  '<img src=x onerror="window.hacked=1">',
  "<script>window.hacked=1</script>",
  "[click](javascript:window.hacked=1)",
  "![pixel](http://127.0.0.1:9/pixel.png)",
  '<a href="javascript:window.hacked=1">x</a>',
  "\u001b]8;;javascript:window.hacked=1\u0007link\u001b]8;;\u0007",
  "`<b>code</b>`",
].join("\n\n");

test("shows hostile output as text, and loads nothing from it", async () => {
  await using served = await serve({ web });
  const id = await served.start({ name: "<img src=x onerror=alert(1)>", permissions: "ask" });
  const { page, problems } = await newTab(browser);
  const requested: string[] = [];
  page.on("request", (request) => requested.push(new URL(request.url()).origin));
  await signIn(page, served.url, `s/${id}`);
  const session = await served.halyard.session(id);
  await session.send(`think ${hostile}`).outcome;
  await session.send(`say ${hostile}`).outcome;
  session.send(`sh echo '${hostile}'`);
  await page.locator(".card").waitFor();
  await page.locator(".item.reasoning summary").click();
  await page.locator(".item.tool summary").click();
  for (const link of await page.locator("article a").all())
    expect(await link.getAttribute("href")).toMatch(/^https?:/);
  expect(await page.locator("article img, article script, article b").count()).toBe(0);
  expect(await page.evaluate(() => Reflect.get(window, "hacked"))).toBeUndefined();
  expect(new Set(requested)).toEqual(new Set([new URL(served.url).origin]));
  expect(problems).toEqual([]);
});
