import { reasonOf } from "./error.ts";
import { hasCode } from "./has-code.ts";

/** Returns why a file operation failed, without the error code and without the path, which the caller's message contains. */
export function fileReason(error: unknown): string {
  const reason = reasonOf(error);
  if (!(error instanceof Error && "syscall" in error)) return reason;
  if (hasCode(error, "EISDIR")) return "it is a directory"; // the system reports an illegal operation
  return reason.replace(/^[A-Z0-9]+: /, "").replace(/, [a-z]+(?: '.*')?$/s, "");
}
