import { spawn } from "node:child_process";
import { once } from "node:events";
import { pieceOf, receiveLines } from "./subject.mjs";

/**
 * Starts the agent on plain pipes.
 * @type {import("./subject.mjs").OpenSubject}
 */
export async function open({ root, agent: [file = "", ...args] }) {
  const agent = new DirectAgent(
    spawn(file, args, { cwd: root, stdio: ["pipe", "pipe", "inherit"] }),
  );
  await agent.ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await agent.ask("session/new", { cwd: root, mcpServers: [] });
  return {
    run: (prompt, onText) => agent.prompt(sessionId, prompt, onText),
    close: () => agent.close(),
  };
}

/** A minimal ACP client. */
export class DirectAgent {
  #child;
  #last = 0;
  /** @type {Map<number, (result: any) => void>} */
  #asked = new Map();
  /** @type {(text: string) => void} */
  #onText = () => {};

  /** @param {import("node:child_process").ChildProcessByStdio<import("node:stream").Writable, import("node:stream").Readable, null>} child */
  constructor(child) {
    this.#child = child;
    receiveLines(child.stdout, (message) => {
      const text = pieceOf(message);
      if (text !== undefined) this.#onText(text);
      else this.#asked.get(message.id)?.(message.result);
    });
  }

  /**
   * @param {string} method
   * @param {object} params
   * @returns {Promise<any>}
   */
  ask(method, params) {
    const id = ++this.#last;
    const answered = new Promise((resolve) => this.#asked.set(id, resolve));
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return answered;
  }

  /**
   * @param {string} sessionId
   * @param {string} text
   * @param {(text: string) => void} onText
   */
  async prompt(sessionId, text, onText) {
    this.#onText = onText;
    await this.ask("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  async close() {
    this.#child.stdin.end();
    await once(this.#child, "exit");
  }
}
