import { constants } from "node:os";

const codes: readonly (keyof typeof constants.errno)[] = ["ENOSPC", "EDQUOT", "EFBIG"];

/** Whether there was no room for what was to be written: on the disk, in the user's share of it, or in the file. */
export function isNoRoom(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("systemErrno" in error)
    // as SQLite tells it
    return codes.some((code) => error.systemErrno === constants.errno[code]);
  return codes.some((code) => "code" in error && error.code === code);
}
