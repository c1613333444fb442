import { randomUUID } from "node:crypto";
import { JsonRpcError } from "../../../wire/json-rpc-error.ts";
import { toJsonLine } from "../../../wire/ndjson.ts";
import { PendingReplies } from "../../../wire/pending-replies.ts";
import { Response } from "../messages.ts";

/** Implements Droid's variant of JSON-RPC: each message has a `type` and Factory's API version, and ids are strings. */
export class PendingCalls {
  readonly #write: (text: string) => Promise<void>;
  readonly #replies = new PendingReplies<unknown>();

  constructor(write: (text: string) => Promise<void>) {
    this.#write = write;
  }

  /**
   * Sends a request and resolves with its result. Rejects with a `JsonRpcError` if Droid responds with an error, or with
   * the error that closed the connection.
   */
  call(method: string, params: unknown, id = `call:${randomUUID()}`): Promise<unknown> {
    const request = { ...envelope, type: "request", id, method: `droid.${method}`, params };
    return this.#replies.expect(id, () => this.#write(toLine(request)));
  }

  async reply(id: string, answer: { result: unknown } | { error: unknown }): Promise<void> {
    if (this.#replies.closedBy) throw this.#replies.closedBy;
    await this.#write(toLine({ ...envelope, type: "response", id, ...answer }));
  }

  receive(message: unknown): void {
    const { data } = Response.safeParse(message);
    if (data === undefined) return;
    const id = String(data.id);
    if (data.error != null) this.#replies.reject(id, JsonRpcError.from(data.error));
    else this.#replies.resolve(id, data.result);
  }

  close(error: Error): void {
    this.#replies.close(error);
  }
}

/**
 * Serializes a message as a line. Escapes U+2028 and U+2029, because Droid treats them as line ends, even inside a
 * string.
 */
function toLine(message: unknown): string {
  return toJsonLine(message).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

const envelope = { jsonrpc: "2.0", factoryApiVersion: "1.0.0" };
