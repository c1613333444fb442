import { type ErrorCode, type ErrorInfo, errorTable, type Phase } from "../schema/error.ts";

/** The caller's or the machine's fault. A runtime's failure is an outcome instead, and cancelling is neither. */
export class HalyardError extends Error {
  readonly code: ErrorCode;
  readonly phase: Phase | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions & { phase?: Phase } = {}) {
    super(message, options);
    this.name = "HalyardError";
    this.code = code;
    this.phase = options.phase;
  }

  get retryable(): boolean {
    return errorTable[this.code].retryable;
  }

  get exitCode(): number {
    return errorTable[this.code].exitCode;
  }
}

/** Whatever was thrown, as data. What is not ours is a fault of ours, unless the caller knows better. */
export function toErrorInfo(error: unknown, code: ErrorCode = "internal"): ErrorInfo {
  if (error instanceof HalyardError) {
    const phase = error.phase && { phase: error.phase };
    return { code: error.code, message: error.message, retryable: error.retryable, ...phase };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code, message, retryable: errorTable[code].retryable };
}
