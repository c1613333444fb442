import { HalyardError, isErrorCode, isPhase } from "../core/error.ts";
import { isRecord } from "../wire/is-record.ts";

/** Returns the error of a problem document (RFC 9457), or undefined if the value is none of ours. */
export function readProblem(value: unknown): HalyardError | undefined {
  if (!isRecord(value) || typeof value.detail !== "string") return undefined;
  const { code, detail, phase } = value;
  if (!isErrorCode(code)) return undefined;
  return new HalyardError(code, detail, isPhase(phase) ? { phase } : {});
}
