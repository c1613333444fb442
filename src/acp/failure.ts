import { HalyardError, toErrorInfo } from "../errors/error.ts";
import type { ErrorInfo } from "../schema/error.ts";
import type { AcpSdk } from "./sdk.ts";

/** A JSON-RPC error with Halyard's message and error data. */
export interface Failure {
  readonly code: number;
  readonly message: string;
  readonly data: ErrorInfo;
}

export function toFailure(error: unknown): Failure {
  const info = toErrorInfo(error);
  return { code: codes.get(info.code) ?? INTERNAL, message: info.message, data: info };
}

/** Converts an error to the SDK's error class, with Halyard's error data. Returns an error of the SDK unchanged. */
export function toRequestError({ first }: AcpSdk, error: unknown): Error {
  if (!(error instanceof HalyardError)) return toInternal(first, error);
  const { code, message, data } = toFailure(error);
  return new first.RequestError(code, message, data);
}

function toInternal({ RequestError }: AcpSdk["first"], error: unknown): Error {
  if (error instanceof RequestError) return error;
  const { code, message, data } = toFailure(error);
  return new RequestError(code, message, data);
}

const INTERNAL = -32603;
const INVALID_PARAMS = -32602;
const NOT_FOUND = -32002;
const SIGN_IN = -32000;
const CANCELLED = -32800;

const codes: ReadonlyMap<ErrorInfo["code"], number> = new Map([
  ["invalid_input", INVALID_PARAMS],
  ["invalid_config", INVALID_PARAMS],
  ["unsupported", INVALID_PARAMS],
  ["forbidden", INVALID_PARAMS],
  ["unknown_runtime", INVALID_PARAMS],
  ["unknown_model", INVALID_PARAMS],
  ["session_not_found", NOT_FOUND],
  ["not_signed_in", SIGN_IN],
  ["cancelled", CANCELLED],
]);
