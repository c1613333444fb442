import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHalyard } from "../dist/index.js";
import { openSqliteStore } from "../dist/stores/sqlite/store.js";
import { SampleLog } from "../dist/testing/sample-log.js";
import { ifAlone } from "./parts/alone.mjs";
import { quantile, timeMs } from "./parts/statistics.mjs";

const ENDED = Number(process.env.HALYARD_PRUNE_SESSIONS ?? 10_000);
const LIVE = 50;

/** Measures the removal of many sessions while others write: its duration, and the time that it adds to the writes. */
export async function measure() {
  const home = await mkdtemp(join(tmpdir(), "halyard-bench-"));
  const file = join(home, "halyard.db");
  const halyard = await createHalyard({ home, env: {} });
  const store = await openSqliteStore(file);
  try {
    await addEnded(store);
    const before = (await stat(file)).size;
    const live = await Promise.all(Array.from({ length: LIVE }, () => SampleLog.create(store)));
    const quiet = await whileWriting(live, () => new Promise((done) => setTimeout(done, 5_000)));
    let removed = 0;
    let pruneMs = 0;
    const busy = await whileWriting(live, async () => {
      pruneMs = await timeMs(async () => {
        for (let hasMore = true; hasMore; ) {
          const result = await halyard.prune({ olderThan: "30d" });
          removed += result.removed.length;
          ({ hasMore } = result);
        }
      });
    });
    if (removed !== ENDED) throw new Error(`Only ${removed} of ${ENDED} sessions were removed.`);
    for (const { info } of live) await requireWhole(store, info);
    const share = (await stat(file)).size / before;
    const p99 = { quiet: quantile(quiet, 0.99), busy: quantile(busy, 0.99) };
    return [
      {
        figure: `removing ${ENDED.toLocaleString("en")} sessions while ${LIVE} write, append p99`,
        ours: `${(pruneMs / 1000).toFixed(1)} s, ${p99.busy.toFixed(1)} ms`,
        beside: `${p99.quiet.toFixed(1)} ms, without a removal`,
        target: "< 50 ms added, none lost",
        isMet: p99.busy - p99.quiet < 50,
        data: { pruneMs, p99, share },
      },
      {
        figure: "size of the database afterwards",
        ours: `${Math.round(share * 100)} %`,
        beside: `${Math.round(before / 1024 / 1024)} MB before`,
        target: "< 20 %",
        isMet: share < 0.2,
        data: { before, share },
      },
    ];
  } finally {
    await store[Symbol.asyncDispose]();
    await halyard[Symbol.asyncDispose]();
    await rm(home, { recursive: true });
  }
}

/** @typedef {import("../dist/contracts/store.js").Store} Store */

/** @param {Store} store */
async function addEnded(store) {
  for (let done = 0; done < ENDED; done += 100) {
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        const log = await SampleLog.create(store, { state: "stopped" });
        await log.append(Array.from({ length: 20 }, () => delta("x".repeat(500))));
        await log.writer.release();
      }),
    );
  }
}

/**
 * Runs `work` while every session appends at most 20 times per second. Returns the durations of all appends in
 * milliseconds.
 * @param {readonly SampleLog[]} logs
 * @param {() => Promise<unknown>} work
 */
async function whileWriting(logs, work) {
  /** @type {number[]} */
  const times = [];
  let isDone = false;
  const writing = logs.map(async (log) => {
    while (!isDone) {
      times.push(await timeMs(() => log.append([delta("live")])));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
  await work();
  isDone = true;
  await Promise.all(writing);
  return times;
}

/**
 * @param {Store} store
 * @param {import("../dist/schema/session.js").SessionInfo} info
 */
async function requireWhole(store, { id, lastSeq }) {
  const events = await store.read(id, { after: 0, limit: 1_000_000 });
  const isWhole = events.length === lastSeq && events.every(({ seq }, index) => seq === index + 1);
  if (!isWhole) throw new Error(`The log of ${id} has ${events.length} of ${lastSeq} events.`);
}

/**
 * @param {string} text
 * @returns {import("../dist/contracts/store.js").StoredEvent}
 */
function delta(text) {
  return { type: "delta", channel: "text", messageId: "m", text };
}

await ifAlone(import.meta.url, measure);
