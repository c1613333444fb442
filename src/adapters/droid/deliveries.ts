import { createDeferred, type Deferred } from "../../core/deferred.ts";
import type { Receipt } from "../../schema/delivery.ts";
import { toMessageId } from "./message-id.ts";

/** The messages that Droid has taken, until it shows that it works on them. */
export class Deliveries {
  readonly #open = new Map<string, Deferred<Receipt>>();

  expect(messageId: string): Promise<Receipt> {
    const delivery = createDeferred<Receipt>();
    this.#open.set(messageId, delivery);
    return delivery.promise;
  }

  /** Droid repeats a message once it works on it, by the request that brought it. */
  begun(requestId: string): void {
    this.#settle(toMessageId(requestId), "confirmed");
  }

  /** The turn that it began is over, or it will never begin one. */
  over(messageId: string | undefined): void {
    this.#settle(messageId, "submitted");
  }

  #settle(messageId: string | undefined, status: "confirmed" | "submitted"): void {
    if (messageId === undefined) return;
    this.#open.get(messageId)?.resolve({ status });
    this.#open.delete(messageId);
  }
}
