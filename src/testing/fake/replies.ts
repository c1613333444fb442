import { AgentMessage } from "./messages.ts";

export type Reply = Extract<
  AgentMessage,
  { type: "ready" | "no_session" | "accepted" | "refused" }
>;

/** What the agent still owes an answer to. */
export class Replies {
  readonly #waiting = new Map<string, Waiting>();
  #closedBy: Error | undefined;

  expect(id: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#closedBy) reject(this.#closedBy);
      else this.#waiting.set(id, { resolve, reject });
    });
  }

  /** Takes what is a reply; what nobody waits for, such as one read again after an attach, is ignored. */
  receive(native: unknown): void {
    const { data: message } = AgentMessage.safeParse(native);
    switch (message?.type) {
      case "ready":
      case "no_session":
        this.#take(HELLO)?.resolve(message);
        break;
      case "accepted":
      case "refused":
        this.#take(message.id)?.resolve(message);
        break;
    }
  }

  reject(id: string, error: Error): void {
    this.#take(id)?.reject(error);
  }

  /** No more will come. */
  close(error: Error): void {
    this.#closedBy = error;
    for (const { reject } of this.#waiting.values()) reject(error);
  }

  #take(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}

/** Stands for the id of a hello, which has none. */
export const HELLO = "hello";

interface Waiting {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}
