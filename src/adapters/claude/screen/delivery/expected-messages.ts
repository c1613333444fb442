import { createDeferred, type Deferred } from "../../../../async/deferred.ts";
import { promptIn, queuedIn } from "../transcript.ts";
import { fingerprint } from "./fingerprint.ts";

/** How Claude accepted a message: Claude started a turn for the message, or queued the message for the active turn. */
export type Acceptance = "started" | "queued";

/** Matches submitted messages to the transcript lines and hook messages that report them. */
export class ExpectedMessages {
  readonly #byFingerprint = new Map<string, Expected>();

  /**
   * Runs a delivery with a promise that resolves when Claude accepts the message. `state` is Claude's state when the
   * message is typed.
   */
  async during<T>(
    text: string,
    state: Expected["state"],
    deliver: (accepted: Promise<Acceptance>) => Promise<T>,
  ): Promise<T> {
    const key = fingerprint(text);
    const accepted = createDeferred<Acceptance>();
    this.#byFingerprint.set(key, { state, accepted });
    try {
      return await deliver(accepted.promise);
    } finally {
      this.#byFingerprint.delete(key);
    }
  }

  onTranscriptLine(line: unknown): void {
    if (this.#byFingerprint.size === 0) return;
    const queued = queuedIn(line);
    if (queued !== undefined) this.#find(queued)?.accepted.resolve("queued");
    const prompt = promptIn(line);
    if (prompt !== undefined) this.#find(prompt)?.accepted.resolve("started");
  }

  /**
   * Processes a prompt hook. The hook also runs for queued messages, so while Claude works, only the transcript
   * confirms a message.
   */
  onPrompt(prompt: string): void {
    const expected = this.#find(prompt);
    if (expected?.state === "idle") expected.accepted.resolve("started");
  }

  #find(text: string): Expected | undefined {
    return this.#byFingerprint.get(fingerprint(text));
  }
}

interface Expected {
  readonly state: "idle" | "busy";
  readonly accepted: Deferred<Acceptance>;
}
