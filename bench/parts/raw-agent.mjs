import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../dist/testing/fake/agent/main.mjs", import.meta.url));

/**
 * The fake agent on plain pipes, with the least possible work for the caller.
 * @implements {AsyncDisposable}
 */
export class RawAgent {
  #child;
  /** @type {(message: { type: string, text?: string }) => void} */
  #receive = () => {};

  /** @param {string} cwd */
  constructor(cwd) {
    const args = [program, "--state", cwd];
    /** @type {Record<string, string>} */
    const env = {}; // empty as in `BenchRoom`, because some variables make Node start slowly
    this.#child = spawn(process.execPath, args, {
      cwd,
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#child.stdout.setEncoding("utf8");
    let rest = "";
    this.#child.stdout.on("data", (/** @type {string} */ chunk) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#receive(JSON.parse(line));
    });
  }

  /** @param {string} cwd */
  static async start(cwd) {
    const agent = new RawAgent(cwd);
    await agent.#ask({ type: "hello" }, "ready");
    return agent;
  }

  /**
   * Resolves when the turn ends.
   * @param {string} prompt
   * @param {(text: string) => void} onText
   */
  run(prompt, onText) {
    return this.#ask({ type: "prompt", id: "prompt", text: prompt }, "done", onText);
  }

  async [Symbol.asyncDispose]() {
    if (this.#child.exitCode !== null) return;
    this.#child.stdin.end();
    await once(this.#child, "exit");
  }

  /**
   * @param {Record<string, string>} message
   * @param {string} lastType
   * @param {(text: string) => void} [onText]
   * @returns {Promise<void>}
   */
  #ask(message, lastType, onText = () => {}) {
    return new Promise((resolve) => {
      this.#receive = ({ type, text = "" }) => {
        if (type === "text") onText(text);
        else if (type === lastType) resolve();
      };
      this.#child.stdin.write(`${JSON.stringify(message)}\n`);
    });
  }
}
