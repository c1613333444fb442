import { reasonOf } from "./error.ts";

/** Returns why a file operation failed, without the error code and without the path, which the caller's message contains. */
export function fileReason(error: unknown): string {
  const reason = reasonOf(error);
  if (!(error instanceof Error && "syscall" in error)) return reason;
  return reason.replace(/^[A-Z0-9]+: /, "").replace(/, [a-z]+(?: '.*')?$/s, "");
}
