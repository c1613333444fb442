import { HalyardError } from "../../core/error.ts";
import { DamagedBlockError } from "../block-row.ts";

/** Whatever SQLite or the file system threw, in our words: which file, and what to do about it. */
export function toStoreError(error: unknown, file: string): HalyardError {
  if (error instanceof HalyardError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const options = { cause: error };
  switch (faultOf(error)) {
    case "full":
      return new HalyardError(
        "store_full",
        `No space left for ${file} (${reason}): free some and try again.`,
        options,
      );
    case "locked":
      return new HalyardError(
        "store_locked",
        `Another process keeps ${file} locked: try again once it is done.`,
        options,
      );
    case "corrupt":
      return new HalyardError(
        "store_corrupt",
        `${file} is damaged (${reason}): what can be read stays readable; restore a copy, or move the file away to begin an empty store.`,
        options,
      );
    case "denied":
      return new HalyardError(
        "store_failed",
        `Cannot open or write ${file} (${reason}): the file and its directory have to be yours and writable.`,
        options,
      );
    case "other":
      return new HalyardError("store_failed", `Cannot use ${file}: ${reason}.`, options);
  }
}

export function isLocked(error: unknown): boolean {
  return faultOf(error) === "locked";
}

type Fault = "full" | "locked" | "corrupt" | "denied" | "other";

function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return "other";
  if (error instanceof DamagedBlockError || error instanceof SyntaxError) return "corrupt";
  const system = "systemErrno" in error ? error.systemErrno : undefined;
  if (system === ENOSPC) return "full";
  if ("errcode" in error && typeof error.errcode === "number") {
    // The low byte says what happened, the rest says where.
    return sqliteFaults[error.errcode & 0xff] ?? "other";
  }
  if ("code" in error && typeof error.code === "string") return systemFaults[error.code] ?? "other";
  return "other";
}

const ENOSPC = 28;

/** By SQLite's result code: BUSY, LOCKED, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB. */
const sqliteFaults: Readonly<Record<number, Fault>> = {
  5: "locked",
  6: "locked",
  8: "denied",
  10: "denied",
  11: "corrupt",
  13: "full",
  14: "denied",
  26: "corrupt",
};

const systemFaults: Readonly<Record<string, Fault>> = {
  ENOSPC: "full",
  EDQUOT: "full",
  EACCES: "denied",
  EPERM: "denied",
  EROFS: "denied",
  ENOTDIR: "denied",
  EEXIST: "denied",
};
