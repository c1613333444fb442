import { createDeferred, type Deferred } from "../../core/deferred.ts";
import { ServerRequest } from "./messages.ts";

/** What Droid waits to have answered. */
export class OpenRequests {
  readonly #requests = new Map<string, Deferred<ServerRequest | undefined>>();

  hear(message: unknown): ServerRequest | undefined {
    const { data: request } = ServerRequest.safeParse(message);
    if (request) this.#of(request.id).resolve(request);
    return request;
  }

  /** Waits until it has been heard, which takes a moment after an attach; undefined if it is settled. */
  find(id: string): Promise<ServerRequest | undefined> {
    return this.#of(id).promise;
  }

  /** Droid goes on without an answer, or with the one it got. */
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
