#!/usr/bin/env node
/**
 * An ACP agent without a model and without dependencies, the same for every subject. The prompt selects its output:
 * `tick N MS` writes the monotonic time N times, MS milliseconds apart; `flood N` counts to N as fast as possible, with one
 * write per number.
 */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";

let lastSession = 0;

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === undefined) return;
  const result = answers[method];
  if (method === "session/prompt") void work(id, params);
  else if (result) write({ id, result: result() });
  else write({ id, error: { code: -32601, message: `Method not found: ${method}` } });
});

/** @type {Record<string, () => object>} */
const answers = {
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: "bench", version: "1" },
    agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } },
    authMethods: [],
  }),
  "session/new": () => ({ sessionId: `session-${process.pid}-${++lastSession}` }),
  "session/load": () => ({}),
  "session/resume": () => ({}),
  "session/set_mode": () => ({}),
};

/**
 * @param {string | number} id
 * @param {{ sessionId: string, prompt: { text?: string }[] }} params
 */
async function work(id, { sessionId, prompt }) {
  const text = prompt.map((block) => block.text ?? "").join("");
  const [, task, count, pause] = /(tick|flood) (\d+)(?: (\d+))?/.exec(text) ?? [];
  const say = (/** @type {string} */ words) => {
    const content = { type: "text", text: words };
    const update = { sessionUpdate: "agent_message_chunk", messageId: `m${id}`, content };
    write({ method: "session/update", params: { sessionId, update } });
  };
  for (let at = 0; at < Number(count); at++) {
    if (task === "flood") say(`${at} `);
    else say(`${process.hrtime.bigint()} `);
    if (task === "tick" && at < Number(count) - 1) await setTimeout(Number(pause));
  }
  write({ id, result: { stopReason: "end_turn" } });
}

/** @param {object} message */
function write(message) {
  let rest = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EAGAIN") throw error;
    }
  }
}
