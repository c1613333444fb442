import { randomUUID } from "node:crypto";
import { JsonRpcError } from "../../wire/json-rpc-error.ts";
import { toJsonLine } from "../../wire/ndjson.ts";
import { Response } from "./messages.ts";

/** JSON-RPC as Droid speaks it: with a type and a version of its own in every message, and words for ids. */
export class PendingCalls {
  readonly #write: (text: string) => Promise<void>;
  readonly #pending = new Map<string, Pending>();
  #closedBy: Error | undefined;

  constructor(write: (text: string) => Promise<void>) {
    this.#write = write;
  }

  /** Rejects with `JsonRpcError`, or with the reason why no answer will come. */
  call(method: string, params: unknown, id = `call:${randomUUID()}`): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#closedBy) return reject(this.#closedBy);
      this.#pending.set(id, { resolve, reject });
      const request = { ...envelope, type: "request", id, method: `droid.${method}`, params };
      this.#write(toLine(request)).catch((error: Error) => this.#take(id)?.reject(error));
    });
  }

  async reply(id: string, answer: { result: unknown } | { error: unknown }): Promise<void> {
    if (this.#closedBy) throw this.#closedBy;
    await this.#write(toLine({ ...envelope, type: "response", id, ...answer }));
  }

  /** An answer that nobody waits for, such as one read again after an attach, is ignored. */
  receive(message: unknown): void {
    const { data } = Response.safeParse(message);
    if (data === undefined) return;
    const pending = this.#take(String(data.id));
    if (data.error) pending?.reject(JsonRpcError.from(data.error));
    else pending?.resolve(data.result);
  }

  close(error: Error): void {
    this.#closedBy ??= error;
    for (const { reject } of this.#pending.values()) reject(this.#closedBy);
    this.#pending.clear();
  }

  #take(id: string): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Droid takes what Unicode calls the end of a line for one, also within a string. */
function toLine(message: unknown): string {
  return toJsonLine(message).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

const envelope = { jsonrpc: "2.0", factoryApiVersion: "1.0.0" };
