import { JsonRpcError, JsonRpcTimeout, METHOD_NOT_FOUND, toErrorObject } from "./json-rpc-error.ts";
import { type JsonRpcId, type JsonRpcMessage, readJsonRpc } from "./json-rpc-message.ts";
import { PendingReplies } from "./pending-replies.ts";

export interface JsonRpcPeer {
  /** Rejects with `JsonRpcError`, `JsonRpcTimeout`, the signal's reason, or what `send` or `close` gave. */
  request(method: string, params?: unknown, options?: RequestOptions): Promise<unknown>;
  notify(method: string, params?: unknown): Promise<void>;
  /** Never throws but for what `onNotification` throws. An answer nobody waits for is ignored. */
  receive(message: unknown): "request" | "notification" | "response" | "unknown";
  /** Rejects what is pending and sends nothing more. Notifications still left to read are delivered. */
  close(error: Error): void;
}

interface RequestOptions {
  /** `Infinity` waits for as long as the peer is open. */
  readonly timeoutMs?: number;
  /** Aborting ends only the waiting: JSON-RPC has no word for it that the other side would know. */
  readonly signal?: AbortSignal;
}

interface JsonRpcPeerOptions {
  send(message: JsonRpcMessage): void | Promise<void>;
  /** Its value is the answer, what it throws the error answer; a `JsonRpcError` keeps its code. */
  onRequest?(method: string, params: unknown, id: JsonRpcId): unknown;
  onNotification?(method: string, params: unknown): void;
  /** Whether to write the `jsonrpc` field; what is received may have it or not. */
  readonly jsonrpc?: boolean;
  readonly defaultTimeoutMs?: number;
  /** Where our ids begin: elsewhere for whoever takes up a conversation in which answers to others' may still come. */
  readonly firstId?: number;
}

/** One end of a JSON-RPC conversation in which both sides may ask. Knows messages, not how they travel. */
export function createJsonRpcPeer(options: JsonRpcPeerOptions): JsonRpcPeer {
  const { jsonrpc = true, defaultTimeoutMs = 60_000, firstId = 1 } = options;
  const pending = new PendingReplies<unknown>();
  let nextId = firstId;

  async function write(message: JsonRpcMessage): Promise<void> {
    if (pending.closedBy !== undefined) throw pending.closedBy;
    await options.send(jsonrpc ? { jsonrpc: "2.0", ...message } : message);
  }

  async function request(
    method: string,
    params?: unknown,
    { timeoutMs = defaultTimeoutMs, signal }: RequestOptions = {},
  ): Promise<unknown> {
    signal?.throwIfAborted();
    const id = nextId++;
    const key = String(id); // some peers answer 7 with "7"
    const onTimeout = () => pending.reject(key, new JsonRpcTimeout(method, timeoutMs));
    const timer = timeoutMs <= LONGEST_TIMER_MS ? setTimeout(onTimeout, timeoutMs) : undefined;
    const onAbort = () => pending.reject(key, signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await pending.expect(key, () => write({ id, ...call(method, params) }));
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async function answer(id: JsonRpcId, method: string, params: unknown): Promise<void> {
    try {
      if (options.onRequest === undefined)
        throw new JsonRpcError(METHOD_NOT_FOUND, `there is no method ${method}`);
      const result = await options.onRequest(method, params, id);
      await write({ id, result: result ?? null }); // JSON would drop undefined, and with it the answer
    } catch (error) {
      await write({ id, error: toErrorObject(error) }); // also for a result that could not be written
    }
  }

  return {
    request,
    notify: (method, params) => write(call(method, params)),
    receive(message) {
      const received = readJsonRpc(message);
      switch (received.kind) {
        case "request":
          if (pending.closedBy === undefined) {
            // A transport that takes no answer is broken, and its owner knows that from the transport.
            answer(received.id, received.method, received.params).catch(() => {}); // whoever is gone needs no answer
          }
          return "request";
        case "notification":
          options.onNotification?.(received.method, received.params);
          return "notification";
        case "result":
          pending.resolve(String(received.id), received.result);
          return "response";
        case "failure":
          pending.reject(String(received.id), JsonRpcError.from(received.error));
          return "response";
        case "unknown":
          return "unknown";
      }
    },
    close: (error) => pending.close(error),
  };
}

/** `setTimeout` fires at once for anything longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function call(method: string, params: unknown): { method: string; params?: unknown } {
  return params === undefined ? { method } : { method, params };
}
