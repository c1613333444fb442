import { createDeferred, type Deferred } from "../../core/deferred.ts";
import { HalyardError } from "../../core/error.ts";
import type { Answer } from "../../schema/permission.ts";
import { answerOf, resultFor } from "./request-answers.ts";
import { type Ask, questionId, type ServerRequest } from "./server-requests.ts";

interface OpenRequest {
  readonly request: ServerRequest;
  /** The result that Codex waits for. */
  readonly result: Deferred<unknown>;
}

/** What Codex waits to have answered. */
export class OpenRequests {
  /** By the name under which the core knows it. */
  readonly #open = new Map<string, OpenRequest>();
  readonly #forgotten = new Set<string>();

  /** Resolves with the result to send once it is answered, which it may never be. */
  open(request: ServerRequest): Promise<unknown> {
    if (request.method === "item/tool/requestUserInput") return this.#openQuestions(request);
    const result = createDeferred<unknown>();
    this.#open.set(String(request.id), { request, result });
    return result.promise;
  }

  /** Undefined for one that Codex no longer waits for. */
  find(nativeId: string): ServerRequest | undefined {
    const open = this.#open.get(nativeId);
    if (open || this.#forgotten.has(nativeId)) return open?.request;
    throw new HalyardError("request_not_found", `Codex waits for no answer to ${nativeId}`);
  }

  answer(nativeId: string, answer: Answer): void {
    const open = this.#open.get(nativeId);
    this.#open.delete(nativeId);
    if (open === undefined) return;
    const { request, result } = open;
    const isQuestion = request.method === "item/tool/requestUserInput";
    result.resolve(isQuestion ? answerOf(answer) : resultFor(request, answer));
  }

  /** Codex does not wait any longer, whoever may have answered. */
  forget(requestId: string): void {
    for (const [nativeId, { request }] of this.#open) {
      if (String(request.id) !== requestId) continue;
      this.#open.delete(nativeId);
      this.#forgotten.add(nativeId);
    }
  }

  async #openQuestions(request: Ask<"item/tool/requestUserInput">): Promise<unknown> {
    const answers = request.params.questions.map(async (question) => {
      const result = createDeferred<unknown>();
      this.#open.set(questionId(request.id, question), { request, result });
      return [question.id, await result.promise] as const;
    });
    return { answers: Object.fromEntries(await Promise.all(answers)) };
  }
}
