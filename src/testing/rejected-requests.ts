import type { IncomingMessage, Server } from "node:http";

/** A request that the scripted model rejected with 401, because the request did not contain the model's key. */
export interface RejectedRequest {
  readonly path: string;
  /** The key in the request. Undefined if there was none. */
  readonly apiKey: string | undefined;
}

/** Records the requests whose key is missing or wrong. Such requests fail a test that does not expect them. */
export class RejectedRequests {
  readonly #apiKey: string;
  #rejected: RejectedRequest[] = [];

  constructor(server: Server, apiKey: string) {
    this.#apiKey = apiKey;
    server.prependListener("request", (request: IncomingMessage) => this.#check(request));
  }

  /** Returns and removes the recorded requests, so that they do not fail the test. */
  take(): RejectedRequest[] {
    return this.#rejected.splice(0);
  }

  /** Throws if requests were rejected since the last `take`. */
  throwIfAny(): void {
    const rejected = this.take();
    if (rejected.length === 0) return;
    const list = rejected.map(({ path, apiKey }) => `${path} with ${apiKey ?? "no key"}`);
    throw new Error(
      `The scripted model has rejected ${rejected.length} requests without its key: ${[...new Set(list)].join(", ")}. ` +
        "Send the apiKey of its endpoint, or call takeRejected() if the test expects them.",
    );
  }

  #check({ method, url: path = "", headers }: IncomingMessage): void {
    if (method !== "POST") return; // requests that only check the base URL need no key
    const bearer = headers.authorization?.replace(/^Bearer /i, "");
    const given = [headers["x-api-key"]].flat();
    const keys = [bearer, ...given].filter((key) => key !== undefined);
    if (!keys.includes(this.#apiKey)) this.#rejected.push({ path, apiKey: keys[0] });
  }
}
