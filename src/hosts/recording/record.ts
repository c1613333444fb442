import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { HalyardError } from "../../errors/error.ts";
import { errno } from "./errno.ts";

/** Writes a program's record atomically. */
export function writeRecord(path: string, record: unknown): void {
  writeFileSync(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Reads a program's record. Returns undefined if there is none. Throws `lost` if the record cannot be read. */
export function readRecord<T>(path: string, schema: { parse(value: unknown): T }): T | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    if (errno(cause) === "ENOENT") return undefined;
    const message = `${path} cannot be read, so its program cannot be found. Resume the session to start a new process.`;
    throw new HalyardError("lost", message, { cause });
  }
}
