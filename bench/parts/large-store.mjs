import { openSqliteStore } from "../../dist/stores/sqlite/store.js";
import { SampleLog } from "../../dist/testing/sample-log.js";

/** The number of events per session. */
export const EVENTS_PER_SESSION = 1_000;
/** The number of events per block. */
const BLOCK = 20;
/** The number of sessions that write at the same time. */
const AT_ONCE = 50;
const FIRST_DAY = Date.parse("2026-01-01T00:00:00.000Z");

/** The runtimes over which the sessions are distributed. */
const runtimes = ["claude", "codex", "droid", "opencode", "pi"];
/** The number of projects over which the sessions are distributed. */
export const PROJECTS = 20;

/**
 * Writes ended sessions to a store, each with a thousand events: mostly deltas, and a message in each block of twenty. The
 * sessions are distributed evenly over the first 300 days of 2026, five runtimes and twenty projects. Returns their ids.
 * @param {string} file
 * @param {number} count
 */
export async function fillStore(file, count) {
  const store = await openSqliteStore(file);
  const ids = [];
  try {
    for (let done = 0; done < count; done += AT_ONCE) {
      const logs = await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, count - done) }, (_, index) =>
          SampleLog.create(store, placeOf(done + index, count)),
        ),
      );
      for (let block = 0; block < EVENTS_PER_SESSION / BLOCK; block++)
        await Promise.all(
          logs.map((log, index) =>
            log.append(eventsOf(done + index, block), { at: log.info.createdAt }),
          ),
        );
      for (const log of logs) await log.writer.release();
      ids.push(...logs.map(({ info }) => info.id));
    }
  } finally {
    await store[Symbol.asyncDispose]();
  }
  return ids;
}

/**
 * @param {number} index
 * @param {number} count
 * @returns {Partial<import("../../dist/schema/session.js").SessionInfo>}
 */
function placeOf(index, count) {
  const at = new Date(FIRST_DAY + (index / count) * 300 * 86_400_000).toISOString();
  return {
    state: "stopped",
    runtime: runtimes[index % runtimes.length] ?? "pi",
    cwd: `/work/project-${index % PROJECTS}`,
    project: `project-${index % PROJECTS}`,
    about: `Task ${index} of the benchmark`,
    createdAt: at,
    updatedAt: at,
  };
}

/**
 * @param {number} session
 * @param {number} block
 * @returns {import("../../dist/contracts/store.js").StoredEvent[]}
 */
function eventsOf(session, block) {
  const text = `the function number ${block} returns what needle${session} of ${block % 7} gives ${FILLER}`;
  return [
    ...deltas,
    { type: "message", role: "assistant", channel: "text", messageId: `m${block}`, text },
  ];
}

const FILLER = Array.from({ length: 40 }, (_, index) => `filler${index} text`).join(" ");

/** @type {import("../../dist/contracts/store.js").StoredEvent[]} */
const deltas = Array.from({ length: BLOCK - 1 }, () => ({
  type: "delta",
  channel: "text",
  messageId: "m",
  text: "the function ",
}));
