import { type ClientRequest, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { HalyardError } from "../../../../errors/error.ts";
import type { EngineAddress } from "./address.ts";
import { explainUnreachable } from "./unreachable.ts";

/** A request to the engine's API. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** The path without the API version, or with its own version, such as `/v4.0.0/…`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** Sent as JSON, or unchanged if it is a stream. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** An error response from the engine. */
export class EngineRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "EngineRefusal";
    this.status = status;
  }
}

/**
 * Resolves to the result of a call, or to undefined if the engine reports that the object does not exist. Also checks
 * the message, because Podman responds with status 500 while it removes a container.
 */
export async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof EngineRefusal)) throw error;
    if (error.status === 404 || /no such container/.test(error.message)) return undefined;
    throw error;
  }
}

/**
 * Sends HTTP requests to an engine. Each request has its own connection, so that no idle connection keeps this process
 * alive.
 */
export class EngineConnection {
  readonly address: EngineAddress;

  constructor(address: EngineAddress) {
    this.address = address;
  }

  /** Returns the response body as text. Rejects with `EngineRefusal` for an error response. */
  async call(call: Call): Promise<string> {
    return text(await this.stream(call));
  }

  async json<T>(schema: z.ZodType<T>, call: Call): Promise<T> {
    return schema.parse(JSON.parse(await this.call(call)));
  }

  /** Returns the response body as a stream. Rejects with `EngineRefusal` for an error response. */
  async stream(call: Call): Promise<IncomingMessage> {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = this.#request(call, {});
      sent.once("response", resolve);
      sent.once("error", (error) => reject(this.#failure(error, call)));
      send(sent, call.body);
    });
    return this.#accepted(answer);
  }

  /** Upgrades the connection to a bidirectional stream. Rejects if the engine does not upgrade the connection. */
  upgrade(call: Call): Promise<{ socket: Socket; head: Buffer }> {
    return new Promise((resolve, reject) => {
      const sent = this.#request(call, { connection: "Upgrade", upgrade: "tcp" });
      sent.once("upgrade", (_, socket: Socket, head) => resolve({ socket, head }));
      sent.once("response", (answer) => {
        this.#accepted(answer).then(() => {
          answer.destroy();
          reject(
            new HalyardError(
              "internal",
              `The container engine did not upgrade the connection for ${call.path}. Run "halyard container doctor" to check the engine.`,
            ),
          );
        }, reject);
      });
      sent.once("error", (error) => reject(this.#failure(error, call)));
      send(sent, call.body);
    });
  }

  #request({ method, path, query = {}, body, signal }: Call, headers: Record<string, string>) {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      for (const one of [value].flat()) search.append(name, String(one));
    const type = body instanceof Readable ? "application/x-tar" : "application/json";
    return request({
      ...this.address.target,
      agent: false,
      method,
      path: `${/^\/v\d/.test(path) ? "" : API}${path}?${search}`,
      headers: { host: "engine", ...(body !== undefined && { "content-type": type }), ...headers },
      ...(signal && { signal }),
    });
  }

  #failure(cause: Error, { signal }: Call): Error {
    return signal?.aborted ? cause : explainUnreachable(cause, this.address);
  }

  async #accepted(answer: IncomingMessage): Promise<IncomingMessage> {
    const { statusCode: status = 0 } = answer;
    if (status < 400) return answer;
    throw new EngineRefusal(status, refusalText(await text(answer)));
  }
}

/** The API version. Docker supports it since 20.10, Podman since 4. */
const API = "/v1.41";

function send(sent: ClientRequest, body: unknown): void {
  if (body instanceof Readable) {
    body.once("error", (error) => sent.destroy(error));
    body.pipe(sent);
  } else {
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  }
}

const Refusal = z.looseObject({ message: z.string() });

function refusalText(answer: string): string {
  try {
    return Refusal.parse(JSON.parse(answer)).message;
  } catch {
    return answer.trim() || "the engine gave no reason";
  }
}
