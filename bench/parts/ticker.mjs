import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./tick.mjs", import.meta.url));

/**
 * Speaks for agents that hang, into their own standard output. Two hundred of them with a clock each would keep two
 * cores busy by themselves.
 * @implements {AsyncDisposable}
 */
export class Ticker {
  #child = fork(program);

  /**
   * Has each of them say the time so often and so far apart, and that it is done.
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
