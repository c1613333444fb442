import type { ErrorCode, ErrorInfo, Phase } from "../schema/error.ts";
import { errorTable, phases } from "../schema/error-table.ts";
import type { Outcome } from "../schema/outcome.ts";
import { isRecord } from "../wire/is-record.ts";

/** An error that the caller or the machine caused. A runtime failure is an outcome, not an error. */
export class HalyardError extends Error {
  readonly code: ErrorCode;
  readonly phase: Phase | undefined;
  /** When the usage limit resets, if the code is `rate_limited` and the time is known. */
  readonly resetsAt: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: ErrorOptions & { phase?: Phase | undefined; resetsAt?: string | undefined } = {},
  ) {
    super(message, options);
    this.name = "HalyardError";
    this.code = code;
    this.phase = options.phase;
    this.resetsAt = options.resetsAt;
  }

  get retryable(): boolean {
    return errorTable[this.code].retryable;
  }

  get exitCode(): number {
    return errorTable[this.code].exitCode;
  }
}

/** Builds an `ErrorInfo`. The error table determines whether the error is retryable. */
export function errorInfo(code: ErrorCode, message: string): ErrorInfo {
  return { code, message, retryable: errorTable[code].retryable };
}

/** Returns the message of a thrown value. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the code of a Node error, such as `EACCES`, or the message of a thrown value without a code. */
export function codeOrReason(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : reasonOf(error);
}

/**
 * Converts a thrown value to an `ErrorInfo`. A value that is not a `HalyardError` gets `code`, which defaults to
 * `internal`.
 */
export function toErrorInfo(error: unknown, code: ErrorCode = "internal"): ErrorInfo {
  if (!(error instanceof HalyardError)) return errorInfo(code, reasonOf(error));
  const { phase, resetsAt } = error;
  return {
    ...errorInfo(error.code, error.message),
    ...(phase && { phase }),
    ...(resetsAt !== undefined && { resetsAt }),
  };
}

/** Parses an `ErrorInfo`. Returns undefined if the value is not one. */
export function readErrorInfo(value: unknown): ErrorInfo | undefined {
  if (!isRecord(value) || typeof value.message !== "string") return undefined;
  const { code, phase, resetsAt } = value;
  if (!isErrorCode(code)) return undefined;
  return {
    ...errorInfo(code, value.message),
    ...(isPhase(phase) && { phase }),
    ...(typeof resetsAt === "string" && { resetsAt }),
  };
}

/** True if the value is a key of `errorTable`. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(errorTable, code);
}

/** True if the value names a phase of a session or a turn. */
export function isPhase(phase: unknown): phase is Phase {
  return phases.some((one) => one === phase);
}

/** Converts an `ErrorInfo` to a `HalyardError`. */
export function fromErrorInfo({ code, message, phase, resetsAt }: ErrorInfo): HalyardError {
  return new HalyardError(code, message, { phase, resetsAt });
}

/** Returns the exit code of the `halyard` command for the outcome of a turn. */
export function exitCodeOf({ status, error }: Pick<Outcome, "status" | "error">): number {
  switch (status) {
    case "completed":
      return 0;
    case "cancelled":
      return errorTable.cancelled.exitCode;
    case "failed":
      return errorTable[error?.code ?? "agent_failed"].exitCode;
  }
}
