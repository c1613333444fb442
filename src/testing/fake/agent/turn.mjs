import { emit } from "./wire.mjs";

/**
 * @typedef {{ ask: boolean, plan: boolean, [name: string]: unknown }} Flags
 *
 * @typedef {{ output: string, isError?: boolean, exitCode?: number }} ToolResult
 * @typedef {import("./wire.mjs").Answer} Answer
 */

/** One prompt and its execution. */
export class Turn {
  usage = { input: 0, output: 0 };
  /** The number of completions to write. */
  endings = 1;
  /**
   * The prompt's images.
   * @type {import("./wire.mjs").Image[]}
   */
  images = [];
  /** Text to write after the completion. */
  lastWords = "";
  /** @type {string[]} */
  #steered = [];
  #cancelling = new AbortController();
  /** @type {Map<string, (answer: Answer | undefined) => void>} */
  #asked = new Map();
  #lastId = 0;
  #wake = () => {};

  /**
   * @param {import("./session.mjs").Session} session
   * @param {Flags} flags
   */
  constructor(session, flags) {
    this.session = session;
    this.flags = flags;
  }

  /** @returns {AbortSignal} aborted when the turn is cancelled. */
  get signal() {
    return this.#cancelling.signal;
  }

  /** Returns an id that is unique in the session, even after a resume. Ids may repeat after a compaction. */
  newId(prefix = "m") {
    return `${prefix}${this.session.prompts.length}.${++this.#lastId}`;
  }

  /**
   * @param {string} text
   * @param {"text" | "thinking"} type
   */
  say(text, type = "text") {
    const messageId = this.newId();
    for (const word of text.match(/\s*\S+|\s+$/g) ?? []) this.delta(messageId, word, type);
    emit({ type: "message", channel: type, messageId, text });
  }

  /**
   * @param {string} messageId
   * @param {string} text
   * @param {"text" | "thinking"} type
   */
  delta(messageId, text, type = "text") {
    this.usage.output++;
    emit({ type, messageId, text });
  }

  /**
   * Uses a tool if it is permitted, and reports the call and its result.
   * @param {string} name
   * @param {Record<string, unknown>} input
   * @param {() => ToolResult | Promise<ToolResult>} use
   * @param {{ ask?: boolean, harmless?: boolean }} options
   */
  async useTool(name, input, use, { ask = this.flags.ask, harmless = false } = {}) {
    const id = this.newId("c");
    emit({ type: "tool", id, name, input });
    const result = await this.#permission({ id, name, input }, { ask, harmless })
      .then(use)
      .catch((error) => ({ output: String(error.message), isError: true }));
    emit({ type: "tool_end", id, isError: false, ...result });
    return result;
  }

  /**
   * Requests permission if the tool needs it. Rejects with the reason if the tool is denied or the agent is planning.
   * @param {{ id: string, name: string, input: unknown }} tool
   * @param {{ ask: boolean, harmless: boolean }} options
   */
  async #permission(tool, { ask, harmless }) {
    if (harmless) return;
    if (this.flags.plan) throw new Error("refused while planning");
    if (!ask) return;
    const options = ["allow", "deny"].map((id) => ({ id, label: id, decision: id }));
    const text = `May I use ${tool.name}?`;
    const answer = await this.ask({ kind: "permission", text, tool, options });
    if (answer?.decision !== "allow") throw new Error(`denied: ${answer?.text ?? "no reason"}`);
  }

  /**
   * Emits a request and waits for its answer. Resolves with undefined if the turn is cancelled first.
   * @param {Record<string, unknown>} question
   * @returns {Promise<Answer | undefined>}
   */
  ask(question) {
    const id = this.newId("q");
    emit({ type: "ask", id, ...question });
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
    });
  }

  /** @param {Answer} answer */
  answer(answer) {
    this.#asked.get(answer.id)?.(answer);
  }

  /** @param {import("./wire.mjs").Input} input */
  steer({ id, text }) {
    emit({ type: "accepted", id });
    this.#steered.push(text);
    this.#wake();
  }

  /** Returns the steered messages that have not been processed, and removes them. */
  takeSteered() {
    return this.#steered.splice(0);
  }

  cancel() {
    this.#cancelling.abort();
    for (const resolve of this.#asked.values()) resolve(undefined);
    this.#wake();
  }

  /** Waits for a steered message or a cancel. */
  async interrupted() {
    if (this.#steered.length > 0 || this.signal.aborted) return;
    await new Promise((resolve) => {
      this.#wake = () => resolve(undefined);
    });
  }

  /** @param {string} [error] */
  end(error) {
    const status = this.signal.aborted ? "cancelled" : error ? "failed" : "completed";
    for (let i = 0; i < this.endings; i++) emit({ type: "done", status, usage: this.usage, error });
    if (this.lastWords) this.say(this.lastWords);
  }
}
