/** Measures one subject once in this process, and sends the figures to the parent process. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ageMs } from "../parts/age.mjs";
import { median } from "../parts/statistics.mjs";

const [, , name = "", readers = "1"] = process.argv;
const agent = [process.execPath, fileURLToPath(new URL("./agent.mjs", import.meta.url))];

/** A long and a short response at about 200 deltas per second, the rate of a model, with their number of turns. */
const LONG = { ticks: 400, turns: 3 };
const SHORT = { ticks: 20, turns: 5 };
const FLOOD = 50_000;
const FANNED = 20_000;
/** The time without a delta, in milliseconds, after which missing deltas count as lost. */
const QUIET_MS = 1000;

/** @type {{ open: import("./subjects/subject.mjs").OpenSubject }} */
const { open } = await import(`./subjects/${name}.mjs`);
const root = await mkdtemp(join(tmpdir(), "halyard-peers-"));
try {
  process.send?.(readers === "1" ? await alone() : await together(Number(readers)));
} finally {
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
}
process.disconnect?.();

async function alone() {
  const begunMs = performance.now();
  const subject = await open({ root, agent });
  const startMs = performance.now() - begunMs;
  try {
    await subject.run("tick 2 5", () => {}); // a warm-up turn
    const long = await listen(subject, LONG);
    const short = await listen(subject, SHORT);
    const rssMb = await weigh(subject.pid?.());
    const flood = await drown(subject, FLOOD, 1);
    const { ages, tailMs: longTailMs } = long;
    return { startMs, ages, tailMs: short.tailMs, longTailMs, rssMb, ...flood };
  } finally {
    await subject.close();
  }
}

/**
 * Measures the age of each delta on arrival, and the median age of the last delta at the end of its turn.
 * @param {import("./subjects/subject.mjs").Subject} subject
 * @param {{ ticks: number, turns: number }} answers
 */
async function listen(subject, { ticks, turns }) {
  /** @type {number[]} */
  const ages = [];
  const tails = [];
  for (let turn = 0; turn < turns; turn++) {
    let lastWord = "";
    await subject.run(`tick ${ticks} 5`, (tick) => {
      lastWord = tick;
      ages.push(ageMs(tick));
    });
    tails.push(ageMs(lastWord));
  }
  return { ages, tailMs: median(tails) };
}

/** @param {number} count */
async function together(count) {
  const subject = await open({ root, agent }, count);
  try {
    return await drown(subject, FANNED, count);
  } finally {
    await subject.close();
  }
}

/**
 * Measures the deltas per second of a flood, and the largest share of lost deltas of any reader.
 * @param {import("./subjects/subject.mjs").Subject} subject
 * @param {number} count
 * @param {number} readers
 */
async function drown(subject, count, readers) {
  const received = Array.from({ length: readers }, () => 0);
  let lastMs = 0;
  const begunMs = performance.now();
  await subject.run(`flood ${count}`, (_, reader = 0) => {
    received[reader] = (received[reader] ?? 0) + 1;
    lastMs = performance.now();
  });
  const worst = () => Math.min(...received);
  // Deltas that arrive after the end of the turn are included.
  while (worst() < count && performance.now() - lastMs < QUIET_MS) await setTimeout(20);
  const total = received.reduce((sum, one) => sum + one, 0);
  const perSecond = total / ((lastMs - begunMs) / 1000);
  return { perSecond, lost: (count - worst()) / count };
}

/** @param {number | undefined} pid */
async function weigh(pid) {
  if (pid === undefined) return undefined;
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kilobytes = /VmRSS:\s+(\d+)/.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}
