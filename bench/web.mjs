import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { createServer } from "../dist/server/index.js";
import { openSqliteStore } from "../dist/stores/sqlite/store.js";
import { SampleLog } from "../dist/testing/sample-log.js";
import { longLog } from "../test/web/long-log.mjs";
import { inBenchRoom } from "./parts/bench-room.mjs";

const directory = fileURLToPath(new URL("../dist/web/", import.meta.url));
const token = "bench";

/** Measures the page in Chromium. Each figure is compared with an empty page in the same browser at the same time. */
export async function measure() {
  return inBenchRoom(async ({ root, halyard, ours }) => {
    const server = createServer(halyard, { token, web: true });
    const listener = await server.listen({ port: 0 });
    const browser = await chromium.launch({
      executablePath: "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    });
    try {
      const long = await writeLongLog(join(root, "home"));
      return [
        ...(await measureSizes()),
        ...(await measureLastScreen(browser, listener.url, long)),
        await measureFrames(browser, listener.url, await ours()),
      ];
    } finally {
      await browser.close();
      await listener.close();
    }
  });
}

/** @param {string} home */
async function writeLongLog(home) {
  const store = await openSqliteStore(join(home, "halyard.db"));
  const log = await SampleLog.create(store, { name: "long", state: "stopped" });
  for (const events of longLog()) await log.append(events);
  await store[Symbol.asyncDispose]();
  return log.info.id;
}

async function measureSizes() {
  const html = await readFile(join(directory, "index.html"), "utf8");
  const first = new Set(["index.html"]);
  for (const [, path = ""] of html.matchAll(/(?:src|href)="([^"]+)"/g)) first.add(path);
  for (const path of first) {
    const code = path.endsWith(".js") ? await readFile(join(directory, path), "utf8") : "";
    for (const [, name] of code.matchAll(/(?:from|import)"\.\/([^"]+)"/g))
      first.add(`assets/${name}`);
  }
  const names = (await readdir(directory, { recursive: true })).filter((name) =>
    /\.(js|css|html|svg|webmanifest)$/.test(name),
  );
  const sum = async (/** @type {Iterable<string>} */ paths) => {
    let bytes = 0;
    for (const path of paths)
      bytes += gzipSync(await readFile(join(directory, path)), { level: 9 }).length;
    return bytes / 1000;
  };
  const served = names.filter((name) => !name.startsWith("export/"));
  const [firstKb, allKb] = [await sum(first), await sum(served)];
  const row = (
    /** @type {string} */ what,
    /** @type {number} */ kb,
    /** @type {number} */ most,
  ) => ({
    figure: `page, ${what}, gzip`,
    ours: `${kb.toFixed(1)} KB`,
    beside: "0 KB, an empty page",
    target: `<= ${most} KB`,
    isMet: kb <= most,
    data: { kb },
  });
  return [row("first load", firstKb, 60), row("all files", allKb, 300)];
}

/**
 * @param {import("playwright-core").Browser} browser
 * @param {string} url
 * @param {string} id
 */
async function measureLastScreen(browser, url, id) {
  const times = [];
  const memory = { heap: 0, process: 0 };
  for (let round = 0; round < 5; round++) {
    const renderers = await renderersOf(browser);
    const page = await openPage(browser, url);
    await page.evaluate(`location.assign("#/s/${id}")`);
    const ms = Number(await page.evaluate(untilLastScreen));
    times.push(ms);
    await page.evaluate(scrollThrough);
    memory.heap = Math.max(memory.heap, await heapOf(page));
    memory.process = Math.max(memory.process, await privateMemory(browser, renderers));
    await page.context().close();
  }
  const renderers = await renderersOf(browser);
  const empty = await browser.newPage();
  const emptyHeap = await heapOf(empty);
  const emptyProcess = await privateMemory(browser, renderers);
  const frame = Number(await empty.evaluate(twoFrames));
  await empty.close();
  const median = times.sort((a, b) => a - b)[2] ?? Number.NaN;
  return [
    {
      figure: "page, last screen of 100,000 events after its data",
      ours: `${median.toFixed(0)} ms`,
      beside: `${frame.toFixed(0)} ms, two frames of an empty page`,
      target: "<= 200 ms",
      isMet: median <= 200,
      data: { times, frame },
    },
    {
      figure: "page, memory of its process with 100,000 events, scrolled through",
      ours: `${memory.process.toFixed(0)} MB, ${memory.heap.toFixed(1)} MB of it scripts`,
      beside: `${emptyProcess.toFixed(0)} MB and ${emptyHeap.toFixed(1)} MB, an empty page`,
      target: "< 150 MB",
      isMet: memory.process < 150,
      data: { ...memory, emptyHeap, emptyProcess },
    },
  ];
}

/**
 * @param {import("playwright-core").Browser} browser
 * @returns {Promise<Set<number>>} the ids of the processes that show pages
 */
async function renderersOf(browser) {
  const client = await browser.newBrowserCDPSession();
  const { processInfo } = await client.send("SystemInfo.getProcessInfo");
  await client.detach();
  return new Set(processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id));
}

/**
 * Returns the private memory, in MB, of the largest process that shows a page and is not in `before`.
 *
 * @param {import("playwright-core").Browser} browser
 * @param {Set<number>} before
 */
async function privateMemory(browser, before) {
  const added = [...(await renderersOf(browser))].filter((id) => !before.has(id));
  const sizes = await Promise.all(
    added.map(async (id) => {
      const text = await readFile(`/proc/${id}/smaps_rollup`, "utf8");
      const parts = [...text.matchAll(/^Private_\w+: +(\d+) kB$/gm)].map(([, kb]) => Number(kb));
      return parts.reduce((sum, kb) => sum + kb, 0) / 1000;
    }),
  );
  return Math.max(0, ...sizes);
}

/**
 * @param {import("playwright-core").Browser} browser
 * @param {string} url
 * @param {import("./parts/halyard-agent.mjs").HalyardAgent} agent
 */
async function measureFrames(browser, url, agent) {
  const page = await openPage(browser, url);
  await page.evaluate(`location.assign("#/s/${agent.id}")`);
  await page.getByLabel("Message").waitFor();
  const empty = await browser.newPage();
  const longest = async (/** @type {import("playwright-core").Page} */ one) =>
    Number(await one.evaluate("Math.max(...window.frameTimes)"));
  const rounds = [];
  for (let round = 0; round < 3; round++) {
    for (const one of [page, empty]) await one.evaluate(watchFrames);
    await agent.run("tick 3000 1", () => {});
    await page.locator(".item.end").nth(round).waitFor();
    rounds.push({ busy: await longest(page), idle: await longest(empty) });
  }
  const { busy, idle } = rounds.sort((a, b) => a.busy - b.busy)[1] ?? { busy: NaN, idle: NaN };
  await page.context().close();
  await empty.close();
  return {
    figure: "page, longest frame at 1,000 deltas per second, median of 3 runs",
    ours: `${busy.toFixed(0)} ms`,
    beside: `${idle.toFixed(0)} ms, an empty page at the same time`,
    target: "<= 100 ms, or that of the empty page + 50",
    isMet: busy <= Math.max(100, idle + 50),
    data: { rounds },
  };
}

/* These scripts run in the page, where the types of Node do not apply. */

const untilLastScreen = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const isShown = () => [...document.querySelectorAll(".item")].at(-1)?.textContent === "End 599";
  while (!isShown()) await frame();
  await frame(); // the item is painted now
  const reads = performance.getEntriesByType("resource").filter(({ name }) => /events\\?.*follow=false/.test(name));
  return performance.now() - Math.max(...reads.map(({ responseEnd }) => responseEnd));
})()`;

const twoFrames = `(async () => {
  const start = performance.now();
  for (let frames = 0; frames < 2; frames++) await new Promise((resolve) => requestAnimationFrame(resolve));
  return performance.now() - start;
})()`;

const scrollThrough = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const box = document.querySelector(".transcript");
  for (let step = 0; step < 60; step++) {
    box.scrollTop -= 2000;
    for (let frames = 0; frames < 4; frames++) await frame();
  }
})()`;

const watchFrames = `{
  window.frameTimes = [];
  let last = performance.now();
  const next = (now) => {
    window.frameTimes.push(now - last);
    last = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}`;

/**
 * @param {import("playwright-core").Browser} browser
 * @param {string} url
 */
async function openPage(browser, url) {
  const response = await fetch(new URL("/v1/sign-in-codes", url), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: "{}",
  });
  const { code } = /** @type {{ code: string }} */ (await response.json());
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${url}#code=${code}`);
  await page.locator(".line.live").waitFor({ state: "attached" });
  await page.locator(".session-row").first().waitFor();
  return page;
}

/** @param {import("playwright-core").Page} page */
async function heapOf(page) {
  const client = await page.context().newCDPSession(page);
  await client.send("HeapProfiler.collectGarbage");
  const { usedSize } = await client.send("Runtime.getHeapUsage");
  return usedSize / 1_000_000;
}
