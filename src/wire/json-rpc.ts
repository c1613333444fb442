import { JsonRpcError, JsonRpcTimeout, METHOD_NOT_FOUND, toErrorObject } from "./json-rpc-error.ts";
import { type JsonRpcId, type JsonRpcMessage, readJsonRpc } from "./json-rpc-message.ts";
import { PendingReplies } from "./pending-replies.ts";

/** One end of a JSON-RPC connection. */
export interface JsonRpcPeer {
  /**
   * Sends a request. Rejects with `JsonRpcError`, `JsonRpcTimeout`, the signal's reason, or the error that `send` threw
   * or `close` received.
   */
  request(method: string, params?: unknown, options?: RequestOptions): Promise<unknown>;
  notify(method: string, params?: unknown): Promise<void>;
  /**
   * Handles a received message. Throws only what `onNotification` throws. A response without a pending request is
   * ignored.
   */
  receive(message: unknown): "request" | "notification" | "response" | "unknown";
  /** Rejects pending requests. After that, the peer sends no messages but still delivers received notifications. */
  close(error: Error): void;
}

interface RequestOptions {
  /** The time limit in milliseconds. `Infinity` means no limit while the peer is open. Defaults to `defaultTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Aborts only the wait for the response, because JSON-RPC has no standard message that cancels a request. */
  readonly signal?: AbortSignal;
}

interface JsonRpcPeerOptions {
  send(message: JsonRpcMessage): void | Promise<void>;
  /**
   * Handles a request. The return value is the result; a thrown value becomes an error response. A `JsonRpcError` keeps
   * its code.
   */
  onRequest?(method: string, params: unknown, id: JsonRpcId): unknown;
  onNotification?(method: string, params: unknown): void;
  /** True to write the `jsonrpc` field. Received messages may omit it. Defaults to true. */
  readonly jsonrpc?: boolean;
  /** The default time limit of a request, in milliseconds. Defaults to 60,000. */
  readonly defaultTimeoutMs?: number;
  /**
   * The first request id. Defaults to 1. Use another value to continue a connection on which responses to earlier requests
   * may still arrive.
   */
  readonly firstId?: number;
}

/** Creates one end of a JSON-RPC connection on which both sides can send requests. Independent of the transport. */
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
    const key = String(id); // some peers send the id 7 back as "7"
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
        throw new JsonRpcError(METHOD_NOT_FOUND, `method ${method} not found`);
      const result = await options.onRequest(method, params, id);
      await write({ id, result: result ?? null }); // JSON omits undefined, so the response would have no result
    } catch (error) {
      await write({ id, error: toErrorObject(error) }); // also reached if the result cannot be serialized
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
            // A transport that does not accept the response is broken, which its owner detects.
            answer(received.id, received.method, received.params).catch(() => {});
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

/** The maximum delay of `setTimeout` in milliseconds. A longer timer would fire immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function call(method: string, params: unknown): { method: string; params?: unknown } {
  return params === undefined ? { method } : { method, params };
}
