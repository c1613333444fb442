/**
 * The fake agent, used through the public API of Halyard.
 * @implements {AsyncDisposable}
 */
export class HalyardAgent {
  #session;

  /** @param {import("../../dist/contracts/halyard.js").Session} session */
  constructor(session) {
    this.#session = session;
  }

  /**
   * @param {import("../../dist/contracts/halyard.js").Halyard} halyard
   * @param {string} cwd
   */
  static async start(halyard, cwd) {
    const session = await halyard.start({ runtime: "fake", cwd, permissions: "allow-all" });
    await session.ready();
    return new HalyardAgent(session);
  }

  get id() {
    return this.#session.id;
  }

  /**
   * Resolves when the turn ends.
   * @param {string} prompt
   * @param {(text: string) => void} onText
   */
  async run(prompt, onText) {
    const turn = this.#session.send(prompt);
    for await (const event of turn) if (event.type === "delta") onText(event.text);
    const { status } = await turn.outcome;
    if (status !== "completed") throw new Error(`The turn ended with status ${status}.`);
  }

  [Symbol.asyncDispose]() {
    return this.#session.stop();
  }
}
