import type { CommandLifecycle } from "./messages.ts";

/**
 * Tracks the state of each message to Claude. Claude reports the states in `command_lifecycle` messages, which version
 * 2.1.197 does not send.
 */
export class MessageStates {
  /** Messages that Claude has queued and not yet started. */
  readonly #waiting = new Set<string>();
  readonly #disowned = new Set<string>();
  #isReported = false;

  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Excludes the response to this message from the session's turns. */
  disown(uuid: string): void {
    this.#disowned.add(uuid);
  }

  isDisowned(uuid: string): boolean {
    return this.#disowned.has(uuid);
  }

  /**
   * True if a turn that starts with these messages belongs to the session. A turn without messages does not, because
   * Claude started it on its own. Always true if Claude reports no message states.
   */
  isOwnTurn(uuids: readonly string[] = []): boolean {
    return !this.#isReported || uuids.some((uuid) => !this.isDisowned(uuid));
  }

  /**
   * Updates a message's state. Returns `started` when Claude starts to work on the message, and `withdrawn` if the
   * message was cancelled before that.
   */
  update({ command_uuid: uuid, state }: CommandLifecycle): "started" | "withdrawn" | undefined {
    this.#isReported = true;
    if (state === "queued") {
      this.#waiting.add(uuid);
      return undefined;
    }
    const wasWaiting = this.#waiting.delete(uuid);
    if (state === "started") return "started";
    return state === "cancelled" && wasWaiting ? "withdrawn" : undefined;
  }
}
