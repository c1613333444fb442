/** Requests that wait for a reply, by id. */
export class PendingReplies<Reply> {
  readonly #waiting = new Map<string, Waiting<Reply>>();
  #closedBy: Error | undefined;

  /** The error that was passed to `close`, or undefined. */
  get closedBy(): Error | undefined {
    return this.#closedBy;
  }

  /**
   * Sends a request and resolves with the reply. Rejects with the error that `ask` threw, or that `reject` or `close`
   * received.
   */
  expect(id: string, ask: () => Promise<void>): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#closedBy !== undefined) return reject(this.#closedBy);
      this.#waiting.set(id, { resolve, reject });
      ask().catch((error: unknown) => this.reject(id, error));
    });
  }

  /** Resolves a request. Ignores a reply without a request, such as one that is read again after an attach. */
  resolve(id: string, reply: Reply): void {
    this.#take(id)?.resolve(reply);
  }

  reject(id: string, error: unknown): void {
    this.#take(id)?.reject(error);
  }

  /** Rejects all pending and later requests. Only the first call sets the reason. */
  close(error: Error): void {
    this.#closedBy ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#closedBy);
    this.#waiting.clear();
  }

  #take(id: string): Waiting<Reply> | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}

interface Waiting<Reply> {
  resolve(reply: Reply): void;
  reject(error: unknown): void;
}
