import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { HalyardError } from "../../core/error.ts";
import { errno } from "./errno.ts";

/** Writes down what a program is found again by: all of it or nothing, whenever we may die. */
export function writeRecord(path: string, record: unknown): void {
  writeFileSync(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Undefined where nothing was started. */
export function readRecord<T>(path: string, schema: { parse(value: unknown): T }): T | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    if (errno(cause) === "ENOENT") return undefined;
    const message = `${path} cannot be read: the program it tells of cannot be found again.`;
    throw new HalyardError("lost", message, { cause });
  }
}
