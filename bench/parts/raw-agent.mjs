import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../dist/testing/fake/agent/main.mjs", import.meta.url));

/** @typedef {{ type: string, text?: string }} Message */

/**
 * The fake agent on plain pipes: the least that anybody who talks to it has to do.
 * @implements {AsyncDisposable}
 */
export class RawAgent {
  #child;
  /** @type {(message: Message) => void} */
  #hear = () => {};

  /** @param {{ cwd: string }} options */
  constructor({ cwd }) {
    const args = [program, "--state", cwd];
    this.#child = spawn(process.execPath, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
    this.#child.stdout.setEncoding("utf8");
    let rest = "";
    this.#child.stdout.on("data", (/** @type {string} */ chunk) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#hear(JSON.parse(line));
    });
  }

  /** Resolves once the agent takes prompts. */
  ready() {
    return this.#until("ready", { type: "hello" });
  }

  /**
   * Resolves with the end of the turn.
   * @param {string} text
   * @param {(message: Message) => void} [onMessage]
   */
  run(text, onMessage) {
    return this.#until("done", { type: "prompt", id: "p", text }, onMessage);
  }

  async [Symbol.asyncDispose]() {
    if (this.#child.exitCode !== null) return;
    this.#child.stdin.end();
    await once(this.#child, "exit");
  }

  /**
   * @param {string} last
   * @param {Record<string, string>} request
   * @param {(message: Message) => void} [onMessage]
   * @returns {Promise<void>}
   */
  #until(last, request, onMessage) {
    return new Promise((resolve) => {
      this.#hear = (message) => {
        onMessage?.(message);
        if (message.type === last) resolve();
      };
      this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    });
  }
}
