/** The id of a request and of its response. */
export type JsonRpcId = string | number;

/** A message that a peer sends. The adapter may add fields for its runtime. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResult | JsonRpcFailure;

interface Versioned {
  readonly jsonrpc?: "2.0";
}

interface JsonRpcRequest extends Versioned {
  readonly id: JsonRpcId;
  readonly method: string;
  readonly params?: unknown;
}

interface JsonRpcNotification extends Versioned {
  readonly method: string;
  readonly params?: unknown;
}

interface JsonRpcResult extends Versioned {
  readonly id: JsonRpcId;
  readonly result: unknown;
}

/** A JSON-RPC error response. */
export interface JsonRpcFailure extends Versioned {
  readonly id: JsonRpcId;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

type ReceivedMessage =
  | {
      readonly kind: "request";
      readonly id: JsonRpcId;
      readonly method: string;
      readonly params: unknown;
    }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  | { readonly kind: "result"; readonly id: JsonRpcId; readonly result: unknown }
  | { readonly kind: "failure"; readonly id: JsonRpcId; readonly error: unknown }
  | { readonly kind: "unknown" };

/**
 * Classifies a received message by its fields. The `jsonrpc` field is not checked, because some peers omit it. An error
 * with a null id belongs to no request and is `unknown`.
 */
export function readJsonRpc(message: unknown): ReceivedMessage {
  if (typeof message !== "object" || message === null) return UNKNOWN;
  const id = "id" in message ? message.id : undefined;
  if ("method" in message) {
    const { method } = message;
    if (typeof method !== "string") return UNKNOWN;
    const params = "params" in message ? message.params : undefined;
    if (isId(id)) return { kind: "request", id, method, params };
    return id === undefined ? { kind: "notification", method, params } : UNKNOWN;
  }
  if (!isId(id)) return UNKNOWN;
  if ("error" in message && message.error != null)
    return { kind: "failure", id, error: message.error };
  return "result" in message ? { kind: "result", id, result: message.result } : UNKNOWN;
}

const UNKNOWN = { kind: "unknown" } as const;

function isId(id: unknown): id is JsonRpcId {
  return typeof id === "string" || typeof id === "number";
}
