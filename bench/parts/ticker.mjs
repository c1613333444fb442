import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./tick.mjs", import.meta.url));

/**
 * Writes to the standard output of agents that hang. Two hundred agents with their own timers would keep two cores busy.
 * @implements {AsyncDisposable}
 */
export class Ticker {
  #child = fork(program);

  /**
   * Writes the time for each agent, `count` times at the given interval, and then the end of the turn.
   * @param {readonly string[]} outputs
   * @param {number} count
   * @param {number} pauseMs
   */
  start(outputs, count, pauseMs) {
    this.#child.send({ outputs, count, pauseMs });
  }

  async [Symbol.asyncDispose]() {
    const exit = once(this.#child, "exit");
    this.#child.disconnect();
    await exit;
  }
}
