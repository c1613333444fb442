import type { JsonRpcFailure } from "./json-rpc-message.ts";

/** An error response from the peer. If a request handler throws this error, it is sent to the peer as the response. */
export class JsonRpcError extends Error {
  override readonly name = "JsonRpcError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }

  /**
   * Creates an error from the `error` field of a response. Accepts malformed values, because not every peer follows the
   * specification.
   */
  static from(error: unknown): JsonRpcError {
    if (typeof error !== "object" || error === null)
      return new JsonRpcError(INTERNAL_ERROR, String(error));
    const code = "code" in error && typeof error.code === "number" ? error.code : INTERNAL_ERROR;
    if (!("message" in error) || typeof error.message !== "string")
      return new JsonRpcError(code, "an error without a message", error);
    return new JsonRpcError(code, error.message, "data" in error ? error.data : undefined);
  }
}

/** Thrown if the peer did not respond in time. A late response is ignored. */
export class JsonRpcTimeout extends Error {
  override readonly name = "JsonRpcTimeout";
  readonly method: string;
  readonly timeoutMs: number;

  constructor(method: string, timeoutMs: number) {
    super(`no answer to ${method} within ${timeoutMs} ms`);
    this.method = method;
    this.timeoutMs = timeoutMs;
  }
}

/** The JSON-RPC code of an error response to an unknown method. */
export const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

/** Converts a thrown value to the `error` field of a response. */
export function toErrorObject(error: unknown): JsonRpcFailure["error"] {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof JsonRpcError)) return { code: INTERNAL_ERROR, message };
  const { code, data } = error;
  return data === undefined ? { code, message } : { code, message, data };
}
