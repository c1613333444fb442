import type { PiMessage } from "./messages.ts";

export type Reply = Extract<PiMessage, { type: "response" }>;

/** What Pi still owes a reply to. */
export class Replies {
  readonly #waiting = new Map<string, Waiting>();
  #closedBy: Error | undefined;

  expect(id: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#closedBy) reject(this.#closedBy);
      else this.#waiting.set(id, { resolve, reject });
    });
  }

  /** What nobody waits for, such as one read again after an attach, is ignored. */
  receive(reply: Reply): void {
    if (reply.id !== undefined) this.#take(reply.id)?.resolve(reply);
  }

  reject(id: string, error: Error): void {
    this.#take(id)?.reject(error);
  }

  /** No more will come. */
  close(error: Error): void {
    this.#closedBy = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #take(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}

interface Waiting {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}
