import { createDeferred, type Deferred } from "../../core/deferred.ts";
import type { Answer } from "../../schema/permission.ts";

/** What the agent waits to have answered. */
export class OpenRequests {
  readonly #open = new Map<string, Deferred<Answer | undefined>>();
  /** Settled by the turn's end, and perhaps asked for once more. */
  readonly #closed = new Set<string>();
  /** Answers to what an earlier process was asked, and we have not come across yet. */
  readonly #early = new Map<string, Answer>();
  readonly #isFoundAgain: boolean;

  constructor({ isFoundAgain }: { isFoundAgain: boolean }) {
    this.#isFoundAgain = isFoundAgain;
  }

  /** Resolves with the answer, or undefined once nobody waits for it any more. */
  open(nativeId: string): Promise<Answer | undefined> {
    const answer = createDeferred<Answer | undefined>();
    const early = this.#early.get(nativeId);
    this.#early.delete(nativeId);
    if (early) answer.resolve(early);
    else this.#open.set(nativeId, answer);
    return answer.promise;
  }

  /** Says whether anybody waits for it, did so before, or may turn out to. */
  answer(nativeId: string, answer: Answer): boolean {
    const open = this.#open.get(nativeId);
    this.#open.delete(nativeId);
    open?.resolve(answer);
    if (open !== undefined || this.#closed.has(nativeId)) return true;
    if (this.#isFoundAgain) this.#early.set(nativeId, answer);
    return this.#isFoundAgain;
  }

  /** The turn is over, or is to be. */
  close(): void {
    for (const [nativeId, open] of this.#open) {
      this.#closed.add(nativeId);
      open.resolve(undefined);
    }
    this.#open.clear();
  }
}
