import { constants } from "node:os";

const codes: readonly (keyof typeof constants.errno)[] = ["ENOSPC", "EDQUOT", "EFBIG"];

/** True if a write failed because the disk, the quota or the file size limit was exhausted. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("systemErrno" in error)
    // SQLite errors contain the system's errno in a separate field.
    return codes.some((code) => error.systemErrno === constants.errno[code]);
  return codes.some((code) => "code" in error && error.code === code);
}
