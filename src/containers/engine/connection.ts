import { type ClientRequest, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { HalyardError } from "../../core/error.ts";
import type { EngineAddress } from "./address.ts";
import { explainUnreachable } from "./unreachable.ts";

/** A call of the engine's API. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Of the API that all engines speak, unless it begins with another's version. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** Sent as JSON, or as it is where it is a stream. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** The engine's refusal, in its own words. */
export class EngineRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "EngineRefusal";
    this.status = status;
  }
}

/** Undefined where there is no such thing. Podman calls that a fault of its own while it removes a container. */
export async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof EngineRefusal)) throw error;
    if (error.status === 404 || /no such container/.test(error.message)) return undefined;
    throw error;
  }
}

/** Speaks HTTP with an engine: one connection per call, so that nothing idle keeps our process running. */
export class EngineConnection {
  readonly address: EngineAddress;

  constructor(address: EngineAddress) {
    this.address = address;
  }

  /** The answer's body as text; rejects with `EngineRefusal` where the engine says no. */
  async call(call: Call): Promise<string> {
    return text(await this.stream(call));
  }

  async json<T>(schema: z.ZodType<T>, call: Call): Promise<T> {
    return schema.parse(JSON.parse(await this.call(call)));
  }

  /** The answer's body as it comes. */
  async stream(call: Call): Promise<IncomingMessage> {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = this.#request(call, {});
      sent.once("response", resolve);
      sent.once("error", (error) => reject(this.#failure(error, call)));
      send(sent, call.body);
    });
    return this.#accepted(answer);
  }

  /** A connection that carries both directions from here on. */
  upgrade(call: Call): Promise<{ socket: Socket; head: Buffer }> {
    return new Promise((resolve, reject) => {
      const sent = this.#request(call, { connection: "Upgrade", upgrade: "tcp" });
      sent.once("upgrade", (_, socket: Socket, head) => resolve({ socket, head }));
      sent.once("response", (answer) => {
        this.#accepted(answer).then(() => {
          answer.destroy();
          reject(new HalyardError("internal", `the engine kept ${call.path} to itself`));
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

/** Spoken by Docker since 20.10 and by Podman since 4. */
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
