/** The other side answered a request with an error; thrown by our own handlers, the error we answer with. */
export class JsonRpcError extends Error {
  override readonly name = "JsonRpcError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }

  /** Takes whatever stood in an answer's `error` field: not every peer keeps to the shape. */
  static from(error: unknown): JsonRpcError {
    if (typeof error !== "object" || error === null)
      return new JsonRpcError(INTERNAL_ERROR, String(error), error);
    const code = "code" in error && typeof error.code === "number" ? error.code : INTERNAL_ERROR;
    const message = "message" in error ? String(error.message) : "the peer gave no message";
    return new JsonRpcError(code, message, "data" in error ? error.data : undefined);
  }
}

export const METHOD_NOT_FOUND = -32601;
export const INTERNAL_ERROR = -32603;

/** No answer came in time. The other side may still be at it; its late answer is ignored. */
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
