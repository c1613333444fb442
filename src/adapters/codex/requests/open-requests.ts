import { createDeferred, type Deferred } from "../../../async/deferred.ts";
import { requestNotOpen } from "../../../errors/request-not-open.ts";
import type { Answer } from "../../../schema/permission.ts";
import { answerOf, resultFor } from "./request-answers.ts";
import { questionId, type RequestOf, type ServerRequest } from "./server-requests.ts";

interface OpenRequest {
  readonly request: ServerRequest;
  /** The result that Codex waits for. */
  readonly result: Deferred<unknown>;
}

/** The requests whose answer Codex is waiting for. */
export class OpenRequests {
  /** The open requests by native id. */
  readonly #open = new Map<string, OpenRequest>();
  readonly #forgotten = new Set<string>();

  /**
   * Opens a request. Resolves with the result to send when the request is answered. Never resolves if Codex stops
   * waiting.
   */
  open(request: ServerRequest): Promise<unknown> {
    if (request.method === "item/tool/requestUserInput") return this.#openQuestions(request);
    const result = createDeferred<unknown>();
    this.#open.set(String(request.id), { request, result });
    return result.promise;
  }

  /**
   * Returns an open request, or undefined if Codex no longer waits for it. Throws `request_not_found` for an unknown
   * id.
   */
  find(nativeId: string): ServerRequest | undefined {
    const open = this.#open.get(nativeId);
    if (open || this.#forgotten.has(nativeId)) return open?.request;
    throw requestNotOpen(nativeId);
  }

  /** Resolves a request with the answer. Has no effect if the request is not open. */
  answer(nativeId: string, answer: Answer): void {
    const open = this.#open.get(nativeId);
    this.#open.delete(nativeId);
    if (open === undefined) return;
    const { request, result } = open;
    const isQuestion = request.method === "item/tool/requestUserInput";
    result.resolve(isQuestion ? answerOf(answer) : resultFor(request, answer));
  }

  /**
   * Removes a request that Codex no longer waits for. Returns the request if it was still open, which means that Halyard
   * did not answer it.
   */
  forget(requestId: string): ServerRequest | undefined {
    let forgotten: ServerRequest | undefined;
    for (const [nativeId, { request }] of this.#open) {
      if (String(request.id) !== requestId) continue;
      this.#open.delete(nativeId);
      this.#forgotten.add(nativeId);
      forgotten = request;
    }
    return forgotten;
  }

  async #openQuestions(request: RequestOf<"item/tool/requestUserInput">): Promise<unknown> {
    const answers = request.params.questions.map(async (question) => {
      const result = createDeferred<unknown>();
      this.#open.set(questionId(request.id, question), { request, result });
      return [question.id, await result.promise] as const;
    });
    return { answers: Object.fromEntries(await Promise.all(answers)) };
  }
}
