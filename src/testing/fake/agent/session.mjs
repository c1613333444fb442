import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emit } from "./wire.mjs";

/** A conversation that is stored in a file after its first prompt. */
export class Session {
  #directory;
  #isDeaf = false;
  /**
   * The remaining replies to corrections.
   * @type {string[]}
   */
  answers = [];

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
    this.#save();
    const { id, prompts } = this;
    if (prompts.length === 1) emit({ type: "saved", sessionId: id });
  }

  /** Replaces the conversation with a summary. */
  compact() {
    this.prompts = [`say summary of ${this.prompts.length}`];
    this.#save();
  }

  #save() {
    const { id, prompts } = this;
    const file = fileOf(this.#directory, id);
    writeFileSync(`${file}.new`, JSON.stringify({ id, prompts }));
    renameSync(`${file}.new`, file); // atomic, so that the file is complete even if the process is killed
  }

  get isDeaf() {
    return this.#isDeaf;
  }

  /** Ignores all further messages. */
  deafen() {
    this.#isDeaf = true;
  }

  /** Becomes another conversation, like an agent that fails to resume and does not report the failure. */
  forget() {
    Object.assign(this, fresh());
  }
}

/**
 * Opens a new session, or the session to resume. Returns undefined if that session does not exist.
 * @param {string} directory
 * @param {string | undefined} resume
 */
export function openSession(directory, resume) {
  if (resume === undefined) return new Session(directory, fresh());
  const file = fileOf(directory, resume);
  if (!existsSync(file)) return undefined;
  return new Session(directory, JSON.parse(readFileSync(file, "utf8")));
}

/**
 * Copies a conversation into another directory as a new session. Returns undefined if the original does not exist.
 * @param {string} directory
 * @param {string} original path of the original's file, without the extension
 */
export function forkSession(directory, original) {
  const file = `${original}.json`;
  if (!existsSync(file)) return undefined;
  const { prompts } = JSON.parse(readFileSync(file, "utf8"));
  const session = new Session(directory, { ...fresh(), prompts: [] });
  for (const prompt of prompts) session.remember(prompt);
  return session;
}

function fresh() {
  const [one, other] = [Math.random(), Math.random()].map((part) => part.toString(36).slice(2));
  return { id: `${one}-${other}`, prompts: [] }; // avoids `node:crypto`, which takes a tenth of the start time
}

/**
 * @param {string} directory
 * @param {string} id
 */
function fileOf(directory, id) {
  return join(directory, `${encodeURIComponent(id)}.json`);
}
