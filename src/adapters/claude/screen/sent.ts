import { readFile } from "node:fs/promises";
import { writeWhole } from "../../../core/write-whole.ts";
import { fingerprint } from "./words.ts";

/**
 * The message that was sent last, and what was added to it, known to whoever takes up the session after us: what else
 * Claude works on was typed by somebody else.
 */
export class Sent {
  readonly #file: string;
  #prints: Set<string> | undefined;
  /** The message itself, where we sent it. */
  text: string | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** As it was left by whoever was here before. */
  async restore(): Promise<void> {
    const kept = await readFile(this.#file, "utf8").catch(() => undefined);
    this.#prints = kept === undefined ? undefined : new Set(kept.split("\n"));
  }

  /** On record before it is typed. */
  async begin(text: string): Promise<void> {
    this.text = text;
    this.#prints = new Set([fingerprint(text)]);
    await this.#save();
  }

  async add(text: string): Promise<void> {
    this.#prints = new Set([...(this.#prints ?? []), fingerprint(text)]);
    await this.#save();
  }

  get isEmpty(): boolean {
    return this.#prints === undefined;
  }

  /** Where nothing was sent by us yet, nothing is. */
  has(text: string): boolean {
    return this.#prints?.has(fingerprint(text)) ?? false;
  }

  #save(): Promise<void> {
    return writeWhole(this.#file, [...(this.#prints ?? [])].join("\n"));
  }
}
