import { HalyardError, isErrorCode, isPhase } from "../errors/error.ts";
import { isRecord } from "../wire/is-record.ts";
import { readMessages } from "./event-source.ts";
import { Retry } from "./retry.ts";
import type { Endpoint } from "./target.ts";

export interface ConnectionOptions {
  readonly token: string | undefined;
  /** How long to retry if the server is unreachable, in milliseconds. */
  readonly reconnectMs: number;
}

export interface RequestOptions {
  /** True if the body of the response is plain text. Defaults to false, for JSON. */
  readonly isText?: boolean;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** True if the request can safely be repeated after a lost connection. */
  readonly isRepeatable?: boolean;
}

export interface Follow {
  readonly query?: Readonly<Record<string, string>>;
  readonly after: number;
  readonly signal: AbortSignal;
}

/** An event from a stream: its id and its JSON text. */
export interface StreamMessage {
  readonly id: number;
  readonly data: string;
}

/**
 * Sends requests to a server and reads its event streams. If the connection is lost, retries repeatable requests and
 * reconnects streams.
 */
export class HttpConnection {
  readonly #endpoint: Endpoint;
  readonly #options: ConnectionOptions;

  constructor(endpoint: Endpoint, options: ConnectionOptions) {
    this.#endpoint = endpoint;
    this.#options = options;
  }

  /** Creates the retry delays for one request, limited to `reconnectMs`. */
  newRetry(): Retry {
    return new Retry(this.#options.reconnectMs);
  }

  /**
   * Sends a request and returns the body of the response. Retries a repeatable request for up to `reconnectMs` while the
   * server is unreachable. Rejects with the server's error, or with `unreachable`.
   */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<unknown> {
    const retry = this.newRetry();
    while (true) {
      try {
        const response = await this.#fetch(method, path, options);
        if (options.isText) return await response.text();
        return response.status === 204 ? undefined : await readJson(response);
      } catch (error) {
        const isLost = isUnreachable(error) && options.isRepeatable === true;
        if (!isLost || !(await retry.wait(options.signal))) throw error;
      }
    }
  }

  /**
   * Yields batches of the events after `after` until the server sends an `end` event or the signal is aborted. Reconnects
   * if the connection is lost. Throws the server's error, or `unreachable` if the server does not respond again.
   */
  async *follow(path: string, { query, after, signal }: Follow): AsyncGenerator<StreamMessage[]> {
    let last = after;
    let retry = this.newRetry();
    while (!signal.aborted) {
      try {
        const search = new URLSearchParams({ ...query, after: String(last) });
        const headers = { accept: "text/event-stream" };
        const response = await this.#fetch("GET", `${path}?${search}`, { signal, headers });
        if (!response.body)
          throw new HalyardError("unreachable", "The response has no body. Try again.");
        for await (const batch of readMessages(response.body)) {
          const { messages, hasEnded } = sort(batch);
          last = messages.at(-1)?.id ?? last;
          retry = this.newRetry();
          if (messages.length > 0) yield messages;
          if (hasEnded || signal.aborted) return;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!isBroken(error)) throw error;
      }
      if (await retry.wait(signal)) continue;
      if (!signal.aborted)
        throw this.#unreachable("the connection was lost and the server did not respond again");
    }
  }

  async #fetch(
    method: string,
    path: string,
    { body, signal, headers }: RequestOptions & { headers?: Record<string, string> },
  ): Promise<Response> {
    const { base, fetch } = this.#endpoint;
    const { token } = this.#options;
    const init: RequestInit = {
      method,
      headers: {
        ...headers,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    };
    let response: Response;
    try {
      response = await fetch(new URL(`${base.pathname.replace(/\/$/, "")}${path}`, base), init);
    } catch (error) {
      if (isUnreachable(error)) throw error; // because a transport other than HTTP throws a clearer error
      throw this.#unreachable(reasonOf(error), error);
    }
    if (response.ok) return response;
    throw await problemOf(response);
  }

  #unreachable(why: string, cause?: unknown): HalyardError {
    return new HalyardError(
      "unreachable",
      `Cannot reach the Halyard server at ${this.#endpoint.name}: ${why}. Check its address, and that it is running.`,
      {
        cause,
      },
    );
  }
}

function sort(
  batch: readonly { event?: string | undefined; id?: string | undefined; data: string }[],
) {
  const messages: StreamMessage[] = [];
  for (const { event, id, data } of batch) {
    if (event === "end") return { messages, hasEnded: true };
    if (event === "error") throw toError(data);
    messages.push({ id: Number(id), data });
  }
  return { messages, hasEnded: false };
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    throw new HalyardError(
      "unreachable",
      "The connection was lost before the response was complete. Try again.",
      { cause: error },
    );
  }
}

async function problemOf(response: Response): Promise<HalyardError> {
  const text = await response.text().catch(() => "");
  return (
    readProblem(parse(text)) ??
    new HalyardError(
      "unreachable",
      `The server responded with status ${response.status}, but not with a Halyard error. Check that its address is the address of a Halyard server.`,
    )
  );
}

function toError(data: string): HalyardError {
  return (
    readProblem(parse(data)) ??
    new HalyardError(
      "internal",
      "The server sent an unknown error. Use the same version of Halyard on both sides.",
    )
  );
}

/** Returns the error of a problem document (RFC 9457), or undefined if the document is not from Halyard. */
function readProblem(value: unknown): HalyardError | undefined {
  if (!isRecord(value) || typeof value.detail !== "string") return undefined;
  const { code, detail, phase } = value;
  if (!isErrorCode(code)) return undefined;
  return new HalyardError(code, detail, isPhase(phase) ? { phase } : {});
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True if the server did not respond, or sent an incomplete response, for example because it is restarting. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof HalyardError && error.code === "unreachable";
}

/** True if the connection failed. False if the server responded with the error. */
function isBroken(error: unknown): boolean {
  return !(error instanceof HalyardError) || isUnreachable(error);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
