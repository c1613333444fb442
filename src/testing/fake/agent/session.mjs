import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emit } from "./wire.mjs";

/** A conversation that is stored in a file after its first prompt. */
export class Session {
  #directory;
  #isDeaf = false;

  /**
   * @param {string} directory
   * @param {{ id: string, prompts: string[] }} kept
   */
  constructor(directory, { id, prompts }) {
    this.#directory = directory;
    this.id = id;
    this.prompts = prompts;
  }

  /** @param {string} prompt */
  remember(prompt) {
    this.prompts.push(prompt);
    const { id, prompts } = this;
    const file = fileOf(this.#directory, id);
    writeFileSync(`${file}.new`, JSON.stringify({ id, prompts }));
    renameSync(`${file}.new`, file); // atomic, even if the process is killed
    if (prompts.length === 1) emit({ type: "saved", sessionId: id });
  }

  get isDeaf() {
    return this.#isDeaf;
  }

  /** Ignores all further messages. */
  deafen() {
    this.#isDeaf = true;
  }

  /** Becomes another conversation, like an agent that fails to resume without reporting it. */
  forget() {
    Object.assign(this, fresh());
  }
}

/**
 * Returns undefined for an unknown id.
 * @param {string} directory
 * @param {string | undefined} resume
 */
export function openSession(directory, resume) {
  if (resume === undefined) return new Session(directory, fresh());
  const file = fileOf(directory, resume);
  if (!existsSync(file)) return undefined;
  return new Session(directory, JSON.parse(readFileSync(file, "utf8")));
}

function fresh() {
  return { id: randomUUID(), prompts: [] };
}

/**
 * @param {string} directory
 * @param {string} id
 */
function fileOf(directory, id) {
  return join(directory, `${encodeURIComponent(id)}.json`);
}
