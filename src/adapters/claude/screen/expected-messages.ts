import { createDeferred, type Deferred } from "../../../core/deferred.ts";
import { promptIn, queuedIn } from "./transcript.ts";
import { fingerprint } from "./words.ts";

/** How a message came to Claude: as a turn's first, or waiting for the turn under way to take it. */
export type Taken = "begun" | "queued";

/** The messages on their way, and what Claude's record and its hooks tell of them. */
export class ExpectedMessages {
  readonly #byFingerprint = new Map<string, Expected>();

  /** Runs the delivery of a message, which is told when Claude has it; `state` is what Claude is at. */
  async during<T>(
    text: string,
    state: Expected["state"],
    deliver: (taken: Promise<Taken>) => Promise<T>,
  ): Promise<T> {
    const key = fingerprint(text);
    const taken = createDeferred<Taken>();
    this.#byFingerprint.set(key, { state, taken });
    try {
      return await deliver(taken.promise);
    } finally {
      this.#byFingerprint.delete(key);
    }
  }

  /** A line of the record. */
  hearLine(line: unknown): void {
    if (this.#byFingerprint.size === 0) return;
    const queued = queuedIn(line);
    if (queued !== undefined) this.#find(queued)?.taken.resolve("queued");
    const prompt = promptIn(line);
    if (prompt !== undefined) this.#find(prompt)?.taken.resolve("begun");
  }

  /** A hook tells the same of what has to wait; then only the record tells which it is. */
  hearPrompt(prompt: string): void {
    const expected = this.#find(prompt);
    if (expected?.state === "idle") expected.taken.resolve("begun");
  }

  #find(text: string): Expected | undefined {
    return this.#byFingerprint.get(fingerprint(text));
  }
}

interface Expected {
  readonly state: "idle" | "busy";
  readonly taken: Deferred<Taken>;
}
