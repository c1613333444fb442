import { HalyardError } from "../core/error.ts";
import { readMessages } from "./event-source.ts";
import { readProblem } from "./problem.ts";
import { Retry } from "./retry.ts";
import type { Way } from "./target.ts";

export interface ConnectionOptions {
  readonly token: string | undefined;
  /** How long to look for a server that has gone away. */
  readonly reconnectMs: number;
}

export interface Ask {
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Asked twice is as good as asked once: ask again where the connection breaks. */
  readonly isRepeatable?: boolean;
}

export interface Follow {
  readonly query?: Readonly<Record<string, string>>;
  readonly after: number;
  readonly signal: AbortSignal;
}

/** An event as it came: its id, and its words. */
export interface Message {
  readonly id: number;
  readonly data: string;
}

/** Asks a server, and reads its streams as if they never broke. */
export class Connection {
  readonly #way: Way;
  readonly #options: ConnectionOptions;

  constructor(way: Way, options: ConnectionOptions) {
    this.#way = way;
    this.#options = options;
  }

  /** For as long as a server that has gone away is looked for. */
  newRetry(): Retry {
    return new Retry(this.#options.reconnectMs);
  }

  /** What the server answers, or the error it gives. */
  async ask(method: string, path: string, options: Ask = {}): Promise<unknown> {
    const retry = this.newRetry();
    while (true) {
      try {
        const response = await this.#fetch(method, path, options);
        return response.status === 204 ? undefined : await readJson(response);
      } catch (error) {
        const isLost = isUnreachable(error) && options.isRepeatable === true;
        if (!isLost || !(await retry.wait(options.signal))) throw error;
      }
    }
  }

  /** A stream of events from `after` on, across broken connections, until the server says that it has ended. */
  async *follow(path: string, { query, after, signal }: Follow): AsyncGenerator<Message[]> {
    let last = after;
    let retry = this.newRetry();
    while (!signal.aborted) {
      try {
        const search = new URLSearchParams({ ...query, after: String(last) });
        const headers = { accept: "text/event-stream" };
        const response = await this.#fetch("GET", `${path}?${search}`, { signal, headers });
        if (!response.body) throw new HalyardError("unreachable", "the answer has no body");
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
      if (!signal.aborted) throw this.#unreachable("it went away and did not come back");
    }
  }

  async #fetch(
    method: string,
    path: string,
    { body, signal, headers }: Ask & { headers?: Record<string, string> },
  ): Promise<Response> {
    const { base, fetch } = this.#way;
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
      throw this.#unreachable(reasonOf(error), error);
    }
    if (response.ok) return response;
    throw await problemOf(response);
  }

  #unreachable(why: string, cause?: unknown): HalyardError {
    return new HalyardError("unreachable", `no Halyard answers at ${this.#way.name}: ${why}`, {
      cause,
    });
  }
}

function sort(
  batch: readonly { event?: string | undefined; id?: string | undefined; data: string }[],
) {
  const messages: Message[] = [];
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
    throw new HalyardError("unreachable", "the answer broke off", { cause: error });
  }
}

async function problemOf(response: Response): Promise<HalyardError> {
  const text = await response.text().catch(() => "");
  return (
    readProblem(parse(text)) ??
    new HalyardError(
      "unreachable",
      `The server answered with status ${response.status} and is no Halyard.`,
    )
  );
}

function toError(data: string): HalyardError {
  return (
    readProblem(parse(data)) ?? new HalyardError("internal", "The server sent an unknown error.")
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The connection broke, or nobody is there: the server may be about to come back. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof HalyardError && error.code === "unreachable";
}

/** Whatever is not the server's own word is the connection's end. */
function isBroken(error: unknown): boolean {
  return !(error instanceof HalyardError) || isUnreachable(error);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
