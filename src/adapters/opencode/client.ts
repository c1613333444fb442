import type { z } from "zod";
import { HalyardError, reasonOf } from "../../core/error.ts";
import { isRecord } from "../../wire/is-record.ts";
import { USERNAME } from "./command.ts";

export interface CallOptions {
  readonly body?: unknown;
  /** What the call is about, where that is not said otherwise. */
  readonly directory?: string;
  readonly timeoutMs?: number;
}

/** A refusal of the server's, in its own words. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
  }
}

/** OpenCode's server over HTTP: the few routes there are, each with the little of its answer that is read. */
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

  /** For calls whose answer says nothing. */
  async tell(
    method: "POST" | "PATCH" | "DELETE",
    path: string,
    options: CallOptions = {},
  ): Promise<void> {
    await this.#call(method, path, options);
  }

  /** Has the server end all that runs in it, and never fails: what is left is for a signal to end. */
  async dispose(timeoutMs: number): Promise<void> {
    await this.tell("POST", "/global/dispose", { timeoutMs: Math.max(1, timeoutMs) }).catch(
      () => {},
    );
  }

  /** The body of an answer that goes on for as long as both sides like. */
  async stream(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const headers = { authorization: this.#authorization };
    const response = await fetch(`${this.#url}${path}`, { headers, signal });
    if (response.ok && response.body !== null) return response.body;
    throw new Refusal(response.status, `GET ${path} was answered with ${response.status}`);
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
    throw new Refusal(
      response.status,
      refusalText(text) ?? `${method} ${path}: ${response.status}`,
    );
  }

  async #fetch(url: URL, request: RequestInit): Promise<Response> {
    try {
      return await fetch(url, request);
    } catch (cause) {
      const why = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
      const reason = reasonOf(why);
      throw new HalyardError("delivery_failed", `OpenCode's server does not answer: ${reason}`, {
        cause,
      });
    }
  }
}

/** Booting a directory for the first time takes seconds. */
const CALL_MS = 60_000;

/** `{ name, data: { message } }`, or `{ message }`. */
function refusalText(text: string): string | undefined {
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
