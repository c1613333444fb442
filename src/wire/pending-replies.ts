/** What the other side still owes a reply to, each by the id that it was asked under. */
export class PendingReplies<Reply> {
  readonly #waiting = new Map<string, Waiting<Reply>>();
  #closedBy: Error | undefined;

  /** Why no more will come, once that is so. */
  get closedBy(): Error | undefined {
    return this.#closedBy;
  }

  /** Asks, and resolves with the reply. Rejects with what `ask`, `reject` or `close` gave. */
  expect(id: string, ask: () => Promise<void>): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#closedBy !== undefined) return reject(this.#closedBy);
      this.#waiting.set(id, { resolve, reject });
      ask().catch((error: unknown) => this.reject(id, error));
    });
  }

  /** What nobody waits for, such as a reply read again after an attach, is ignored. */
  resolve(id: string, reply: Reply): void {
    this.#take(id)?.resolve(reply);
  }

  reject(id: string, error: unknown): void {
    this.#take(id)?.reject(error);
  }

  /** No more will come; the first reason counts. */
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
