import type { z } from "zod";
import { HalyardError, reasonOf } from "../../../errors/error.ts";
import { isRecord } from "../../../wire/is-record.ts";
import { USERNAME } from "../command.ts";

export interface CallOptions {
  readonly body?: unknown;
  /** The project's directory, if the path does not imply it. */
  readonly directory?: string;
  readonly timeoutMs?: number;
}

/** An error response from the server. */
export class ServerError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "ServerError";
    this.status = status;
  }
}

/** The HTTP client for the OpenCode server. */
export class Client {
  readonly #url: string;
  readonly #authorization: string;

  constructor(url: string, password: string) {
    this.#url = url.replace(/\/+$/, "");
    this.#authorization = `Basic ${Buffer.from(`${USERNAME}:${password}`).toString("base64")}`;
  }

  async get<T>(path: string, schema: z.ZodType<T>, options: CallOptions = {}): Promise<T> {
    return schema.parse(JSON.parse(await this.#call("GET", path, options)));
  }

  async post<T>(path: string, schema: z.ZodType<T>, options: CallOptions = {}): Promise<T> {
    return schema.parse(JSON.parse(await this.#call("POST", path, options)));
  }

  /** Sends a request and ignores the response body. */
  async send(
    method: "POST" | "PATCH" | "DELETE",
    path: string,
    options: CallOptions = {},
  ): Promise<void> {
    await this.#call(method, path, options);
  }

  /** Requests the end of all running work. Never rejects, because the process is terminated afterwards anyway. */
  async dispose(timeoutMs: number): Promise<void> {
    await this.send("POST", "/global/dispose", { timeoutMs: Math.max(1, timeoutMs) }).catch(
      () => {},
    );
  }

  /** Returns the body of a streaming response. Rejects with `ServerError` for an error response. */
  async stream(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const headers = { authorization: this.#authorization };
    const response = await fetch(`${this.#url}${path}`, { headers, signal });
    if (response.ok && response.body !== null) return response.body;
    throw new ServerError(response.status, `GET ${path} failed with status ${response.status}`);
  }

  async #call(method: string, path: string, options: CallOptions): Promise<string> {
    const { body, directory, timeoutMs = CALL_MS } = options;
    const url = new URL(`${this.#url}${path}`);
    if (directory !== undefined) url.searchParams.set("directory", directory);
    const response = await this.#fetch(url, {
      method,
      headers: { authorization: this.#authorization, "content-type": "application/json" },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return text;
    throw new ServerError(
      response.status,
      errorMessage(text) ?? `${method} ${path} failed with status ${response.status}`,
    );
  }

  async #fetch(url: URL, request: RequestInit): Promise<Response> {
    try {
      return await fetch(url, request);
    } catch (cause) {
      const why = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
      const reason = reasonOf(why);
      throw new HalyardError(
        "delivery_failed",
        `The OpenCode server does not respond: ${reason}. Try again, or stop the session and resume it.`,
        {
          cause,
        },
      );
    }
  }
}

/** The default timeout in milliseconds. It is long, because the first request for a directory takes several seconds. */
const CALL_MS = 60_000;

/** Extracts the message from an error body: `{ name, data: { message } }` or `{ message }`. */
function errorMessage(text: string): string | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    if (!isRecord(answer)) return undefined;
    const { message, data } = answer;
    if (typeof message === "string") return message;
    return isRecord(data) && typeof data.message === "string" ? data.message : undefined;
  } catch {
    return undefined;
  }
}
