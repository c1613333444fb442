#!/usr/bin/env node
/**
 * Simulates the load of a cluster on its NATS servers: sessions that work and rest, leases of workers, saved files, and readers.
 * Prints one line per size. Usage: node scripts/simulate-cluster.mjs [seed]. docs/scale.md describes the model and its limits.
 */
import { pathToFileURL } from "node:url";

/** The cluster sizes in docs/scale.md. */
const sizes = [
  { workers: 2, sessions: 50 },
  { workers: 10, sessions: 1_000 },
  { workers: 100, sessions: 10_000 },
  { workers: 1_000, sessions: 100_000 },
];

/**
 * The model. Message sizes are measured (bench/cluster.mjs); the behavior of sessions is assumed.
 * @type {Model}
 */
export const model = {
  turnSeconds: 90, // mean of an exponential distribution
  restSeconds: 4_410, // mean between two turns: 2 % of the sessions work
  deltasPerSecond: 20, // rate of a working session in half of the seconds; tools run in the other half
  blockMs: 50, // events that arrive while a message is written share the next message
  recordBytes: 970, // size of the session record in each message
  eventBytes: 83,
  leaseMs: 6_000, // a worker renews its lease four times in this period
  leaseBytes: 700,
  savedBytes: 200_000, // size of the new objects and conversation parts of a turn
  readersPerSession: 0.01, // open consoles and pages
  replicas: 3,
};

/**
 * @typedef {Record<"turnSeconds" | "restSeconds" | "deltasPerSecond" | "blockMs" | "recordBytes" | "eventBytes" | "leaseMs"
 *   | "leaseBytes" | "savedBytes" | "readersPerSession" | "replicas", number>} Model
 */

/**
 * Simulates ten minutes, second by second.
 * @param {{ workers: number, sessions: number }} size
 * @param {Model} given
 * @param {number} seed
 */
export function simulate({ workers, sessions }, given, seed) {
  const random = createRandom(seed);
  const exponential = (/** @type {number} */ mean) => -Math.log(1 - random()) * mean;
  const share = given.turnSeconds / (given.turnSeconds + given.restSeconds);
  const left = new Float64Array(sessions);
  const isWorking = new Uint8Array(sessions);
  for (let index = 0; index < sessions; index++) {
    isWorking[index] = random() < share ? 1 : 0;
    left[index] = exponential(isWorking[index] ? given.turnSeconds : given.restSeconds);
  }
  /** @type {Record<"messages" | "events" | "bytes", number>[]} */
  const seconds = [];
  let turns = 0;
  let mostWorking = 0;
  const messagesPerSecond = Math.min(given.deltasPerSecond, 1_000 / given.blockMs);
  for (let second = 0; second < SECONDS; second++) {
    let working = 0;
    let talking = 0;
    for (let index = 0; index < sessions; index++) {
      left[index] = (left[index] ?? 0) - 1;
      if ((left[index] ?? 0) <= 0) {
        if (isWorking[index]) turns++;
        isWorking[index] = isWorking[index] ? 0 : 1;
        left[index] = exponential(isWorking[index] ? given.turnSeconds : given.restSeconds);
      }
      if (!isWorking[index]) continue;
      working++;
      if (random() < 0.5) talking++;
    }
    mostWorking = Math.max(mostWorking, working);
    const messages = talking * messagesPerSecond + (working - talking);
    const events = talking * given.deltasPerSecond + (working - talking);
    seconds.push({
      messages,
      events,
      bytes: messages * given.recordBytes + events * given.eventBytes,
    });
  }
  const of = (/** @type {"messages" | "events" | "bytes"} */ name) =>
    seconds.map((one) => one[name]).sort((one, other) => one - other);
  const mean = (/** @type {number[]} */ values) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const p99 = (/** @type {number[]} */ values) => values[Math.floor(values.length * 0.99)] ?? 0;
  const leases = (workers * 4_000) / given.leaseMs;
  const savedPerSecond = (turns / SECONDS) * given.savedBytes;
  const logBytes = mean(of("bytes"));
  return {
    workers,
    sessions,
    working: mostWorking,
    eventsPerSecond: mean(of("events")),
    messagesPerSecond: mean(of("messages")),
    messagesPerSecondP99: p99(of("messages")),
    leasesPerSecond: leases,
    /** The megabytes that each server writes per second. */
    writtenMBPerSecond: (logBytes + savedPerSecond + leases * given.leaseBytes) / 1e6,
    /** The daily growth of the log and the saved files on each server. */
    gigabytesPerDay: ((logBytes + savedPerSecond) * 86_400) / 1e9,
    /** The megabytes that readers receive per second. */
    readMBPerSecond: (logBytes * given.readersPerSession) / 1e6,
    /** Listing all sessions reads the last message of each. */
    listMB: (sessions * given.recordBytes) / 1e6,
  };
}

const SECONDS = 600;

/**
 * Creates a Mulberry32 generator, which returns the same numbers for the same seed.
 * @param {number} seed
 */
function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function main() {
  const seed = Number(process.argv[2] ?? 1);
  const head = [
    ...[
      "workers",
      "sessions",
      "working sessions",
      "events/s",
      "messages/s",
      "messages/s (p99)",
      "leases/s",
    ],
    ...["MB/s per server", "GB/day per server", "list MB"],
  ];
  const lines = sizes.map((size) => {
    const found = simulate(size, model, seed);
    return [
      found.workers,
      found.sessions,
      found.working,
      Math.round(found.eventsPerSecond),
      Math.round(found.messagesPerSecond),
      Math.round(found.messagesPerSecondP99),
      Math.round(found.leasesPerSecond),
      found.writtenMBPerSecond.toFixed(1),
      found.gigabytesPerDay.toFixed(1),
      found.listMB.toFixed(1),
    ];
  });
  const row = (/** @type {readonly (string | number)[]} */ cells) => `| ${cells.join(" | ")} |`;
  process.stdout.write(
    `${[row(head), `|${"---|".repeat(head.length)}`, ...lines.map(row)].join("\n")}\n`,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main();
