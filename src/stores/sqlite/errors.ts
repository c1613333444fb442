import { isDiskFull } from "../../errors/disk-full.ts";
import { HalyardError, reasonOf } from "../../errors/error.ts";
import { DamagedBlockError } from "../block-row.ts";

/** Converts a SQLite or file system error to a `HalyardError` that names the file and states what to do next. */
export function toStoreError(error: unknown, file: string): HalyardError {
  if (error instanceof HalyardError) return error;
  const reason = reasonOf(error);
  const options = { cause: error };
  switch (faultOf(error)) {
    case "full":
      return new HalyardError(
        "store_full",
        `No space left to write ${file} (${reason}). Free some space and try again.`,
        options,
      );
    case "locked":
      return new HalyardError(
        "store_locked",
        `Another process holds the lock of ${file}. Try again when it has finished.`,
        options,
      );
    case "corrupt":
      return new HalyardError(
        "store_corrupt",
        `${file} is damaged (${reason}). Undamaged sessions stay readable. Restore a backup, or move the file away to start with an empty store.`,
        options,
      );
    case "denied":
      return new HalyardError(
        "store_failed",
        `Cannot open or write ${file} (${reason}). Run "ls -ld" on the file and its directory: you must own both and have write access to both.`,
        options,
      );
    case "unreadable":
      return new HalyardError(
        "store_failed",
        `The disk could not read or write ${file} (${reason}). Check the disk and its connection. "dmesg" lists the errors of the system.`,
        options,
      );
    case "other":
      return new HalyardError(
        "store_failed",
        `Cannot use ${file}: ${reason}. Try again. If it fails again, restore a backup of the file.`,
        options,
      );
  }
}

/** True if another process or connection holds the lock of the database. */
export function isLocked(error: unknown): boolean {
  return faultOf(error) === "locked";
}

/** True if the database or a stored block is damaged. */
export function isCorrupt(error: unknown): boolean {
  return faultOf(error) === "corrupt";
}

type Fault = "full" | "locked" | "corrupt" | "denied" | "unreadable" | "other";

function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return "other";
  if (error instanceof DamagedBlockError || error instanceof SyntaxError) return "corrupt";
  if (isDiskFull(error)) return "full";
  const code = "errcode" in error ? error.errcode : "code" in error ? error.code : undefined;
  // The low byte of an extended result code is the primary result code.
  if (typeof code === "number") return sqliteFaults[code & 0xff] ?? "other";
  return faults[code === "ERR_SQLITE_ERROR" ? error.message : String(code)] ?? "other";
}

/** SQLite's result codes: BUSY, LOCKED, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB. */
const sqliteFaults: Readonly<Record<number, Fault>> = {
  5: "locked",
  6: "locked",
  8: "denied",
  10: "unreadable",
  11: "corrupt",
  13: "full",
  14: "denied",
  26: "corrupt",
};

/**
 * File system error codes and SQLite messages. Messages are needed because errors that occur while reading rows have no
 * code.
 */
const faults: Readonly<Record<string, Fault>> = {
  EACCES: "denied",
  EPERM: "denied",
  EROFS: "denied",
  ENOTDIR: "denied",
  EEXIST: "denied",
  EIO: "unreadable",
  "database is locked": "locked",
  "database table is locked": "locked",
  "attempt to write a readonly database": "denied",
  "disk I/O error": "unreadable",
  "database disk image is malformed": "corrupt",
  "database or disk is full": "full",
  "unable to open database file": "denied",
  "file is not a database": "corrupt",
};
