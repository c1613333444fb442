/** Writes the output of many agents from one process; see `ticker.mjs`. */
import { closeSync, constants, openSync, writeSync } from "node:fs";

/** The interval of the scheduler, in milliseconds. */
const LOOK_EVERY_MS = 1;

process.on(
  "message",
  (/** @type {{ outputs: string[], count: number, pauseMs: number }} */ order) => {
    const { outputs, count, pauseMs } = order;
    const begin = performance.now();
    const agents = outputs.map((path, index) => ({
      fd: openSync(path, constants.O_WRONLY | constants.O_APPEND),
      left: count,
      next: begin + (index / outputs.length) * pauseMs,
    }));
    const timer = setInterval(() => {
      const now = performance.now();
      for (const agent of agents) {
        while (agent.left > 0 && agent.next <= now) {
          agent.next += pauseMs;
          agent.left--;
          say(agent.fd, { type: "text", messageId: "tick", text: `${process.hrtime.bigint()} ` });
          if (agent.left === 0) finish(agent.fd);
        }
      }
      if (agents.every(({ left }) => left === 0)) clearInterval(timer);
    }, LOOK_EVERY_MS);
  },
);

/** @param {number} fd */
function finish(fd) {
  say(fd, { type: "done", status: "completed", usage: { input: 1, output: 1 } });
  closeSync(fd);
}

/**
 * @param {number} fd
 * @param {object} message
 */
function say(fd, message) {
  writeSync(fd, `${JSON.stringify(message)}\n`);
}
