import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "../dist/stores/sqlite/store.js";
import { SampleLog } from "../dist/testing/sample-log.js";
import { ifAlone } from "./parts/alone.mjs";
import { alternate, median, timeMs } from "./parts/statistics.mjs";

const EVENTS = Number(process.env.HALYARD_SEARCH_EVENTS ?? 1_000_000);

/** Measures the time that background indexing adds to appends, and the duration of a search in a large store. */
export async function measure() {
  const rounds = await alternate(5, {
    plain: () => inStore({ indexes: false }, (store) => timeMs(() => append(store, 400_000))),
    indexed: () => inStore({ indexes: true }, (store) => timeMs(() => append(store, 400_000))),
  });
  const plain = median(rounds.map((round) => round.plain));
  const indexed = median(rounds.map((round) => round.indexed));
  const found = await inStore({}, searchLarge);
  return [
    {
      figure: "appends while the search index is filled",
      ours: `${Math.round(indexed)} ms, ${(indexed / plain).toFixed(2)} of without`,
      beside: `${Math.round(plain)} ms, without an index`,
      target: "<= 1.10 of without",
      isMet: indexed / plain <= 1.1,
      data: { rounds },
    },
    {
      figure: `search in ${EVENTS.toLocaleString("en")} events, rare / common / ranked`,
      ours: `${found.rareMs.toFixed(1)} / ${found.commonMs.toFixed(1)} / ${found.rankedMs.toFixed(1)} ms`,
      beside: `${Math.round(found.indexMs / 1000)} s to index, ${Math.round(found.indexMb)} MB beside ${Math.round(found.logMb)} MB`,
      target: "< 200 ms",
      isMet: Math.max(found.rareMs, found.commonMs, found.rankedMs) < 200,
      data: found,
    },
  ];
}

/** @typedef {import("../dist/contracts/store.js").Store} Store */

/**
 * @template T
 * @param {{ indexes?: boolean }} options
 * @param {(store: Store, directory: string) => Promise<T>} work
 */
async function inStore(options, work) {
  const directory = await mkdtemp(join(tmpdir(), "halyard-bench-"));
  try {
    const store = await openSqliteStore(join(directory, "halyard.db"), options);
    try {
      return await work(store, directory);
    } finally {
      await store[Symbol.asyncDispose]();
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}

/**
 * @param {Store} store
 * @param {string} directory
 */
async function searchLarge(store, directory) {
  await append(store, EVENTS);
  const indexMs = await timeMs(async () => {
    while ((await store.search("rare")).pending > 0);
  });
  const time = async (
    /** @type {string} */ query,
    /** @type {import("../dist/schema/search.js").SearchOrder} */ order = "newest",
  ) => {
    const times = [];
    for (let round = 0; round < 20; round++) {
      times.push(
        await timeMs(async () => {
          const { hits } = await store.search(query, { order });
          if (hits.length === 0) throw new Error(`The search for "${query}" found nothing.`);
        }),
      );
    }
    return median(times);
  };
  const sizeMb = async (/** @type {string} */ name) =>
    (await stat(join(directory, name))).size / 1024 / 1024;
  return {
    indexMs,
    rareMs: await time("needle77"),
    commonMs: await time("the function"),
    rankedMs: await time("the function", "relevance"),
    indexMb: await sizeMb("halyard-search.db"),
    logMb: await sizeMb("halyard.db"),
  };
}

/**
 * Appends events like ten concurrent agents, in blocks of nineteen deltas and a message.
 * @param {Store} store
 * @param {number} count
 */
async function append(store, count) {
  const logs = await Promise.all(Array.from({ length: 10 }, () => SampleLog.create(store)));
  for (let done = 0; done < count; ) {
    const blocks = logs.map((log) => {
      const text = `the function number ${done} returns what needle${done / 20} of ${done % 977} gives ${"filler text ".repeat(40)}`;
      const deltas = Array.from({ length: 19 }, () => ({
        type: "delta",
        channel: "text",
        messageId: "m",
        text: "the function ",
      }));
      done += 20;
      return log.append(
        /** @type {any} */ ([
          ...deltas,
          { type: "message", role: "assistant", channel: "text", messageId: "m", text },
        ]),
      );
    });
    await Promise.all(blocks);
  }
}

await ifAlone(import.meta.url, measure);
