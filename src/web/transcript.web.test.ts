import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, serve } from "../../test/http/served.ts";
import { launchBrowser, newTab, signIn } from "../../test/web/browser.ts";
import { longLog } from "../../test/web/long-log.mjs";
import { openSqliteStore } from "../stores/sqlite/store.ts";
import { SampleLog } from "../testing/sample-log.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const web = "dist/web";

/** Writes a log of 100,000 events. */
async function writeLongLog({ home }: Served): Promise<string> {
  const store = await openSqliteStore(join(home, "halyard.db"));
  const log = await SampleLog.create(store, { name: "long", state: "stopped" });
  for (const events of longLog()) await log.append(events);
  await store[Symbol.asyncDispose]();
  return log.info.id;
}

/**
 * The maximum CPU time, in milliseconds, from the arrival of a long session's data until its last screen is shown. `npm
 * run bench -- web` measures the elapsed time.
 */
const LAST_SCREEN_MS = 200;

/**
 * The maximum number of frames between the arrival of a session's data and its last screen. More frames would mean a
 * delay that CPU time does not show.
 */
const LAST_SCREEN_FRAMES = 4;

/** The work that the page performs between a click on a session and the display of its last screen. */
interface Opened {
  /** The number of log reads. */
  readonly reads: number;
  /** The number of frames after the last read. */
  readonly frames: number;
  /** The main thread's CPU time, in milliseconds. */
  readonly workMs: number;
}

/**
 * The maximum number of attempts to open a session within its budget. Several are needed, because a busy machine also
 * increases CPU time.
 */
const ATTEMPTS = 6;

/** Opens a session until it is within its budget, at most `ATTEMPTS` times. Returns the last attempt. */
async function openLastScreen(page: Page, id: string): Promise<Opened> {
  for (let attempt = 1; ; attempt++) {
    const opened = await openOnce(page, id);
    if (opened.workMs < LAST_SCREEN_MS || attempt === ATTEMPTS) return opened;
    await page.evaluate(() => location.assign("#/"));
    await page.reload();
    await page.locator(".session-row").waitFor();
  }
}

async function openOnce(page: Page, id: string): Promise<Opened> {
  await browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline"] });
  const seen = await page.evaluate(async (hash) => {
    const times: number[] = [];
    const items = document.getElementsByClassName("item");
    const isShown = () => items[items.length - 1]?.textContent === "End 599";
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    location.assign(hash);
    while (!isShown()) {
      await frame();
      times.push(performance.now());
    }
    const arrived = performance
      .getEntriesByType("resource")
      .filter(({ name }) => name.includes(`${hash.slice("#/s/".length)}/events?follow=false`))
      .filter(({ name }) => !name.includes("types="))
      .map((read) => (read as PerformanceResourceTiming).responseEnd);
    const last = Math.max(...arrived);
    return { reads: arrived.length, frames: times.filter((time) => time > last).length };
  }, `#/s/${id}`);
  const tasks = taskTimes(await browser.stopTracing());
  return { ...seen, workMs: tasks.reduce((sum, ms) => sum + ms, 0) };
}

async function firstVisible(page: Page): Promise<string> {
  return page.evaluate(() => {
    const box = document.querySelector(".transcript");
    const top = box?.getBoundingClientRect().top ?? 0;
    const items = [...document.querySelectorAll(".item")];
    return items.find((item) => item.getBoundingClientRect().bottom > top)?.textContent ?? "";
  });
}

test("opens a session with 100,000 events at its end, and scrolls and jumps in it", async () => {
  await using served = await serve({ web });
  const id = await writeLongLog(served);
  expect((await served.halyard.find(id))?.lastSeq).toBe(100_000);
  const { page, problems } = await newTab(browser);
  await signIn(page, served.url);
  await page.locator(".session-row").waitFor();
  const opened = await openLastScreen(page, id);
  expect(opened.reads).toBeLessThanOrEqual(2); // two reads, because the board also reads the last events
  expect(opened.frames).toBeLessThanOrEqual(LAST_SCREEN_FRAMES);
  expect(opened.workMs).toBeLessThan(LAST_SCREEN_MS);
  const isAtEnd = () => {
    const box = document.querySelector(".transcript");
    return box !== null && box.scrollHeight - box.scrollTop - box.clientHeight < 2;
  };
  expect(await page.evaluate(isAtEnd)).toBe(true);

  // Older events are added above without moving the visible ones.
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

  // The rail jumps to any position.
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
  const client = await page.context().newCDPSession(page);
  await client.send("HeapProfiler.collectGarbage");
  const { usedSize } = await client.send("Runtime.getHeapUsage");
  expect(usedSize).toBeLessThan(150_000_000);
  expect(problems).toEqual([]);
});

test("fills a screen that is taller than the first loaded items of a long session", async () => {
  await using served = await serve({ web });
  const store = await openSqliteStore(join(served.home, "halyard.db"));
  const log = await SampleLog.create(store, { name: "tools", state: "stopped" });
  const call = {
    type: "tool_call",
    name: "sh",
    kind: "execute",
    input: { command: "ls" },
  } as const;
  await log.append([...Array(2000).keys()].map((index) => ({ ...call, callId: `c${index}` })));
  await store[Symbol.asyncDispose]();
  const { page } = await newTab(browser, { viewport: { width: 1440, height: 8000 } });
  await signIn(page, served.url, `s/${log.info.id}`);
  await page.waitForFunction(() => {
    const box = document.querySelector(".transcript");
    return box !== null && box.scrollHeight > box.clientHeight + 1000;
  });
  expect(await page.locator(".item").count()).toBeLessThan(1000);
});

test("renders 3,000 deltas without a main-thread task over 100 ms of CPU time", async () => {
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

/**
 * Returns the CPU time of each task on the page's main thread, in milliseconds. Unlike elapsed time, CPU time excludes
 * the time spent waiting for a CPU.
 */
function taskTimes(trace: Buffer): number[] {
  const events: TraceEvent[] = JSON.parse(trace.toString()).traceEvents;
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}.${tid}`;
  const isMain = ({ name, args }: TraceEvent) =>
    name === "thread_name" && args?.name === "CrRendererMain";
  const byThread = new Map<string, number[]>(
    events.filter(isMain).map((event) => [threadOf(event), []]),
  );
  for (const event of events)
    if (event.name === "RunTask" && event.tdur !== undefined)
      byThread.get(threadOf(event))?.push(event.tdur / 1000);
  const sum = (times: readonly number[]) => times.reduce((total, ms) => total + ms, 0);
  // the thread with the most work, because the other pages are idle
  return [...byThread.values()].sort((a, b) => sum(b) - sum(a))[0] ?? [];
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
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

test("shows hostile output as text, and loads no resource that it refers to", async () => {
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

test("blocks a script and an image that are inserted into the document", async () => {
  await using served = await serve({ web });
  const { page, problems } = await newTab(browser);
  await signIn(page, served.url);
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.hacked = 1";
    const picture = new Image();
    picture.src = "http://127.0.0.1:9/pixel.png";
    document.body.append(script, picture);
  });
  await expect.poll(() => problems.length).toBe(2);
  expect(await page.evaluate(() => Reflect.get(window, "hacked"))).toBeUndefined();
});
