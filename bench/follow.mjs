import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createServer } from "../dist/server/index.js";
import { inBenchRoom } from "./parts/bench-room.mjs";
import { disposeAfter } from "./parts/resources.mjs";
import { SseReader } from "./parts/sse-reader.mjs";
import { alternate, median, timeMs } from "./parts/statistics.mjs";

const MANY = 1_000_000;
const FEW = 1_000;

/** Measures reads of a long ended session: from its start, compared with a file, and from its end, compared with a short one. */
export function measure() {
  return inBenchRoom(async (room) => {
    const long = await record(room, MANY);
    const short = await record(room, FEW);
    return [
      await fromStart(room, long),
      await fromEnd("following a million events from the end", [long, short], (session) =>
        readLast(room, session),
      ),
      await comeBack(room, [long, short]),
    ];
  });
}

/** @typedef {import("./parts/bench-room.mjs").BenchRoom} BenchRoom */
/** @typedef {import("../dist/schema/session.js").SessionInfo} SessionInfo */

/**
 * @param {BenchRoom} room
 * @param {number} count
 */
async function record({ halyard, ours }, count) {
  const { id } = await disposeAfter(await ours(), async (agent) => {
    await agent.run(`flood ${count}`, () => {});
    return agent;
  });
  const info = await halyard.find(id);
  if (info === undefined || info.lastSeq < count)
    throw new Error(`The log of ${id} is incomplete.`);
  return info;
}

/**
 * @param {BenchRoom} room
 * @param {SessionInfo} long
 */
async function fromStart(room, long) {
  const file = join(room.root, "events.jsonl");
  const lines = await writeLines(room, long, file);
  const rounds = await alternate(5, {
    raw: async () => lines / (await timeMs(() => parseLines(file))),
    ours: async () => long.lastSeq / (await timeMs(() => readAll(room, long))),
  });
  const raw = median(rounds.map((round) => round.raw));
  const ours = median(rounds.map((round) => round.ours));
  const share = ours / raw;
  return {
    figure: "following a million events from the start",
    ours: `${Math.round(ours)} k/s, ${share.toFixed(2)} of raw`,
    beside: `${Math.round(raw)} k/s, JSON.parse over a file of them`,
    data: { raw, ours, share, rounds },
  };
}

/**
 * Measures a reader that reconnects and has all events except the last.
 * @param {BenchRoom} room
 * @param {[long: SessionInfo, short: SessionInfo]} sessions
 */
async function comeBack({ halyard }, sessions) {
  const token = "bench";
  const listener = await createServer(halyard, { token }).listen({ port: 0 });
  try {
    return await fromEnd("coming back over SSE after a million events", sessions, (session) =>
      readLastBySse(listener.url, token, session),
    );
  } finally {
    await listener.close();
  }
}

/**
 * @param {string} figure
 * @param {[long: SessionInfo, short: SessionInfo]} sessions
 * @param {(session: SessionInfo) => Promise<unknown>} read
 */
async function fromEnd(figure, [long, short], read) {
  const rounds = await alternate(50, {
    long: () => timeMs(() => read(long)),
    short: () => timeMs(() => read(short)),
  });
  const longMs = median(rounds.map((round) => round.long));
  const shortMs = median(rounds.map((round) => round.short));
  return {
    figure,
    ours: `${longMs.toFixed(2)} ms to the first event`,
    beside: `${shortMs.toFixed(2)} ms, with a thousand events`,
    target: "O(1): within twice that",
    isMet: longMs < 2 * shortMs,
    data: { longMs, shortMs },
  };
}

/**
 * @param {BenchRoom} room
 * @param {SessionInfo} session
 */
async function readAll({ halyard }, { id, lastSeq }) {
  let seq = 0;
  for await (const event of halyard.events(id)) {
    if (event.seq !== ++seq) throw new Error(`Expected event ${seq}, received ${event.seq}.`);
  }
  if (seq !== lastSeq) throw new Error(`${lastSeq - seq} events are lost.`);
}

/**
 * @param {BenchRoom} room
 * @param {SessionInfo} session
 */
async function readLast({ halyard }, { id, lastSeq }) {
  for await (const event of halyard.events(id, { after: lastSeq - 1 })) return event;
  throw new Error("The last event is lost.");
}

/**
 * @param {string} url
 * @param {string} token
 * @param {SessionInfo} session
 */
async function readLastBySse(url, token, { id, lastSeq }) {
  /** @type {(seq: number | undefined) => void} */
  let receive = () => {};
  const received = new Promise((resolve) => {
    receive = resolve;
  });
  const open = SseReader.open(url, token, id, ([first]) => receive(first?.seq), lastSeq - 1);
  const seq = await disposeAfter(await open, () => received);
  if (seq !== lastSeq) throw new Error(`Expected event ${lastSeq}, received ${seq}.`);
}

/**
 * Writes up to 200,000 events to a file, which are enough to measure the read speed. Returns their number.
 * @param {BenchRoom} room
 * @param {SessionInfo} session
 * @param {string} file
 */
async function writeLines({ halyard }, { id }, file) {
  const lines = [];
  for await (const event of halyard.events(id)) {
    lines.push(JSON.stringify(event));
    if (lines.length === 200_000) break;
  }
  await writeFile(file, `${lines.join("\n")}\n`);
  return lines.length;
}

/** @param {string} file */
async function parseLines(file) {
  let rest = "";
  for await (const chunk of createReadStream(file, { encoding: "utf8" })) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) JSON.parse(line);
  }
}
