import { createDeferred, type Deferred } from "../../async/deferred.ts";
import type { Receipt } from "../../schema/delivery.ts";
import { toMessageId } from "./events/message-id.ts";

/** Sent messages that Droid has not confirmed yet. */
export class Deliveries {
  readonly #open = new Map<string, Deferred<Receipt>>();

  expect(messageId: string): Promise<Receipt> {
    const delivery = createDeferred<Receipt>();
    this.#open.set(messageId, delivery);
    return delivery.promise;
  }

  /** Confirms a message. When Droid starts to work on a message, Droid echoes the message with the id of its request. */
  confirm(requestId: string): void {
    this.#settle(toMessageId(requestId), "confirmed");
  }

  /** Settles a message without a confirmation, because its turn has ended or Droid discarded it. */
  settle(messageId: string | undefined): void {
    this.#settle(messageId, "submitted");
  }

  #settle(messageId: string | undefined, status: "confirmed" | "submitted"): void {
    if (messageId === undefined) return;
    this.#open.get(messageId)?.resolve({ status });
    this.#open.delete(messageId);
  }
}
