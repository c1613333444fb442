import { Reply } from "./messages.ts";

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
  receive(message: unknown): void {
    if (!mayBeReply(message)) return;
    const { data: reply } = Reply.safeParse(message);
    if (reply) this.#take(answeredBy(reply))?.resolve(reply);
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

function answeredBy(reply: Reply): string {
  return reply.type === "accepted" || reply.type === "refused" ? reply.id : HELLO;
}

interface Waiting {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

/** Most messages are not, and to parse each of them would be felt. */
function mayBeReply(message: unknown): boolean {
  return (
    typeof message === "object" &&
    message !== null &&
    "type" in message &&
    replyTypes.has(message.type)
  );
}

const replyTypes = new Set<unknown>(Reply.options.map(({ shape }) => shape.type.value));
