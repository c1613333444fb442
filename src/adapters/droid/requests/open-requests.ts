import { createDeferred, type Deferred } from "../../../async/deferred.ts";
import { ServerRequest } from "../messages.ts";

/** Requests whose answer Droid is waiting for. */
export class OpenRequests {
  readonly #requests = new Map<string, Deferred<ServerRequest | undefined>>();

  add(message: unknown): ServerRequest | undefined {
    const { data: request } = ServerRequest.safeParse(message);
    if (request) this.#of(request.id).resolve(request);
    return request;
  }

  /**
   * Resolves when the request arrives, which may be shortly after an attach. Resolves to undefined if the request is
   * settled.
   */
  find(id: string): Promise<ServerRequest | undefined> {
    return this.#of(id).promise;
  }

  /** Marks a request as settled: Droid has received the answer or no longer waits for one. */
  settle(id: string): void {
    const settled = createDeferred<ServerRequest | undefined>();
    settled.resolve(undefined);
    this.#of(id).resolve(undefined);
    this.#requests.set(id, settled);
  }

  #of(id: string): Deferred<ServerRequest | undefined> {
    const known = this.#requests.get(id) ?? createDeferred<ServerRequest | undefined>();
    this.#requests.set(id, known);
    return known;
  }
}
