import { readFile } from "node:fs/promises";
import { writeFileAtomically } from "../../../../files/write-file-atomically.ts";
import { fingerprint } from "./fingerprint.ts";

/**
 * Stores the fingerprints of the active turn's messages in a file, so that a later attach can read them. A message
 * without a stored fingerprint was typed by a user.
 */
export class SentMessages {
  readonly #file: string;
  #fingerprints: Set<string> | undefined;
  /** The text of the turn's first message, if this process sent it. */
  text: string | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Reads the fingerprints that a previous owner stored. */
  async restore(): Promise<void> {
    const kept = await readFile(this.#file, "utf8").catch(() => undefined);
    this.#fingerprints = kept === undefined ? undefined : new Set(kept.split("\n"));
  }

  /** Stores a turn's first message before it is typed. */
  async start(text: string): Promise<void> {
    this.text = text;
    this.#fingerprints = new Set([fingerprint(text)]);
    await this.#save();
  }

  /** Stores another message in the same turn. */
  async add(text: string): Promise<void> {
    this.#fingerprints = new Set([...(this.#fingerprints ?? []), fingerprint(text)]);
    await this.#save();
  }

  get isEmpty(): boolean {
    return this.#fingerprints === undefined;
  }

  /** True if Halyard sent this message in the active turn. */
  has(text: string): boolean {
    return this.#fingerprints?.has(fingerprint(text)) ?? false;
  }

  #save(): Promise<void> {
    return writeFileAtomically(this.#file, [...(this.#fingerprints ?? [])].join("\n"));
  }
}
