import { createDeferred, type Deferred } from "../../../async/deferred.ts";
import type { Answer } from "../../../schema/permission.ts";

/** Requests whose answer the agent is waiting for. */
export class OpenRequests {
  readonly #open = new Map<string, Deferred<Answer | undefined>>();
  /** Requests that `close` cancelled. Their answers are ignored. */
  readonly #closed = new Set<string>();
  /** Answers to requests that an earlier process received and that this process has not read yet. */
  readonly #early = new Map<string, Answer>();
  readonly #isAttached: boolean;

  constructor({ isAttached }: { isAttached: boolean }) {
    this.#isAttached = isAttached;
  }

  /** Resolves with the answer, or with undefined if the request is cancelled. */
  open(nativeId: string): Promise<Answer | undefined> {
    const answer = createDeferred<Answer | undefined>();
    const early = this.#early.get(nativeId);
    this.#early.delete(nativeId);
    if (early) answer.resolve(early);
    else this.#open.set(nativeId, answer);
    return answer.promise;
  }

  /**
   * Answers a request. Returns false if the request is unknown. Ignores the answer to a cancelled request and returns
   * true. After an attach, stores the answer to an unknown request and returns true, because this process may not have
   * read the request yet.
   */
  answer(nativeId: string, answer: Answer): boolean {
    const open = this.#open.get(nativeId);
    this.#open.delete(nativeId);
    open?.resolve(answer);
    if (open !== undefined || this.#closed.has(nativeId)) return true;
    if (this.#isAttached) this.#early.set(nativeId, answer);
    return this.#isAttached;
  }

  /** Cancels all open requests. */
  close(): void {
    for (const [nativeId, open] of this.#open) {
      this.#closed.add(nativeId);
      open.resolve(undefined);
    }
    this.#open.clear();
  }
}
